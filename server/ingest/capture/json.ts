import { isAscii, isUtf8 } from "node:buffer";
import { findExceededJsonLimit, isDeeper, isObject, type JsonLimits } from "../../../formats/json.ts";
import { AppError } from "../../errors.ts";
import { MAX_BODY_LEVELS, MAX_BODY_VALUES } from "../rules/bounds.ts";

export interface ParsedBody {
  value: Record<string, unknown>;
  /** True if the body contains an escape sequence that may stand for U+0000 or a lone surrogate. */
  suspicious: boolean;
}

/** A body of this size parses in a few milliseconds with any content. */
const SMALL_BYTES = 32 * 1024;

/**
 * Treatment of bytes that are not UTF-8. Hooks, transcripts and telemetry contain the output of commands, and no user
 * would see a rejection. For these sources the server therefore replaces the bytes by U+FFFD.
 */
export type InvalidUtf8Handling = "rejected" | "replaced";

/**
 * Parses a body, which must be UTF-8 and a JSON object within the limits on nesting and number of values. Large bodies
 * are checked against the limits before parsing.
 * @throws AppError invalid_utf8, too_deep, too_many_values, invalid_json or invalid_body
 */
export function parseBody(
  bytes: Buffer,
  extent: JsonLimits = EXTENT,
  invalidBytes: InvalidUtf8Handling = "rejected",
): ParsedBody {
  const ascii = isAscii(bytes);
  if (invalidBytes === "rejected" && !ascii && !isUtf8(bytes)) throw bad("invalid_utf8", "The body must be UTF-8");
  const text = ascii ? bytes.toString("latin1") : bytes.toString("utf8").replace(/^\uFEFF/, "");
  const small = bytes.length <= SMALL_BYTES;
  if (!small) checkExtent(bytes, extent);
  const value = parse(text);
  if (small && isDeeper(value, extent.levels)) throw tooDeep(extent);
  if (!isObject(value)) throw bad("invalid_body", "The body must be a JSON object");
  return { value, suspicious: isSuspicious(text) };
}

const bad = (tag: string, message: string) => new AppError("input", message, { tag });

function parse(text: string): unknown {
  if (text.trim() === "") throw bad("invalid_json", "The body is empty; send a JSON object");
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which must not appear in responses or logs.
    throw bad("invalid_json", "The body is not valid JSON");
  }
}

/**
 * Returns true if a text may contain U+0000 or a lone surrogate, which PostgreSQL cannot store. In UTF-8, these
 * characters can appear only as escape sequences.
 */
const isSuspicious = (text: string) => text.includes("\\u") && /\\u(?:0000|d[89a-f])/i.test(text);

/** Maximum nesting and number of values in a body of events or a session. */
const EXTENT: JsonLimits = { levels: MAX_BODY_LEVELS, values: MAX_BODY_VALUES };

/** Rejects JSON text that would take long to parse and traverse. @throws AppError too_deep or too_many_values */
function checkExtent(json: Buffer, extent: JsonLimits): void {
  const excess = findExceededJsonLimit(json, extent);
  if (excess?.bound === "levels") throw tooDeep(extent);
  if (excess) throw tooMany(extent, fieldAt(json, excess.member));
}

/** Longer than any field name. */
const NAME_BYTES = 34;
const NAME = /^\s*"([a-z_]+)"/;

/**
 * Returns the name of the member that begins at `start`. Returns undefined for names that do not look like known
 * fields, because such names must not be sent back to the caller.
 */
const fieldAt = (json: Buffer, start: number): string | undefined =>
  NAME.exec(json.toString("latin1", start, start + NAME_BYTES))?.[1];

const tooDeep = ({ levels }: JsonLimits) =>
  new AppError("input", `The body must be nested at most ${levels} levels deep`, { tag: "too_deep" });

const tooMany = ({ values }: JsonLimits, field: string | undefined) =>
  new AppError("input", `The body must hold at most ${values} values; send less at once, or objects as JSON text`, {
    tag: "too_many_values",
    limit: values,
    ...(field && { field }),
  });

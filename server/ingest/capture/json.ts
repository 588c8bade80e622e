import { isAscii, isUtf8 } from "node:buffer";
import { type Extent, excessOf, isDeeper, isObject } from "../../../formats/json.ts";
import { AppError } from "../../errors.ts";
import { MAX_LEVELS, MAX_VALUES } from "../rules/bounds.ts";

/** A request's body, parsed. */
export interface ParsedBody {
  value: Record<string, unknown>;
  /** True when it spells an escape that may stand for U+0000 or a lone surrogate. */
  suspicious: boolean;
}

/** A body of this size parses in a few milliseconds, whatever it holds. */
const SMALL_BYTES = 32 * 1024;

/**
 * Parses a body: UTF-8, JSON, an object, within the bounds on levels and values, which are checked before it is parsed.
 * @throws AppError invalid_utf8, too_deep, too_many_values, invalid_json or invalid_body
 */
export function parseBody(bytes: Buffer, extent: Extent = EXTENT): ParsedBody {
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) throw bad("invalid_utf8", "The body must be UTF-8");
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
    // The parser's own message quotes the body, which belongs in no answer and no log.
    throw bad("invalid_json", "The body is not valid JSON");
  }
}

/** In UTF-8 both kinds of unstorable character can only be spelled as escapes. */
const isSuspicious = (text: string) => text.includes("\\u") && /\\u(?:0000|d[89a-f])/i.test(text);

/** The most that a body of events or a session may hold. */
const EXTENT: Extent = { levels: MAX_LEVELS, values: MAX_VALUES };

/** Refuses JSON text that would take long to parse and to walk. @throws AppError too_deep or too_many_values */
function checkExtent(json: Buffer, extent: Extent): void {
  const excess = excessOf(json, extent);
  if (excess?.bound === "levels") throw tooDeep(extent);
  if (excess) throw tooMany(extent, fieldAt(json, excess.member));
}

/** More than any name of a field has. */
const NAME_BYTES = 34;
const NAME = /^\s*"([a-z_]+)"/;

/** The name of the member that begins here. Only what looks like one of ours is repeated to the caller. */
const fieldAt = (json: Buffer, start: number): string | undefined =>
  NAME.exec(json.toString("latin1", start, start + NAME_BYTES))?.[1];

/** The refusal of a body that nests too deep. */
const tooDeep = ({ levels }: Extent) =>
  new AppError("input", `The body must be nested at most ${levels} levels deep`, { tag: "too_deep" });

const tooMany = ({ values }: Extent, field: string | undefined) =>
  new AppError("input", `The body must hold at most ${values} values; send less at once, or objects as JSON text`, {
    tag: "too_many_values",
    limit: values,
    ...(field && { field }),
  });

import { marksIn, type Redactor } from "../../../redaction/index.ts";
import type { Redaction } from "../../ingest/rules/redaction.ts";
import { cutText, tidy } from "../../ingest/rules/tidy.ts";
import type { Target } from "./catalog.ts";
import type { Row } from "./rows.ts";

/** The rules by which stored values are read. */
export interface Rules {
  redaction: Redaction;
  redactor: Redactor;
}

/** The values of a row that are others without secrets. */
export function redactedValues({ columns, most = {} }: Target, { values }: Row, rules: Rules): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const { name, type } of columns) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    const kept = type.startsWith("json") ? redactedJson(value, name === "metadata", rules) : rules.redactor.text(value);
    if (kept !== value) changed[name] = cutText(kept, most[name] ?? Number.POSITIVE_INFINITY);
  }
  return changed;
}

const WRAPPING = '{"value":';

/** JSON that holds no secret stays as it is spelled. */
function redactedJson(json: string, redact: boolean, { redaction, redactor }: Rules): string {
  const wrapped: { value: unknown } = { value: JSON.parse(json) };
  const bounds = { levels: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER, redact };
  const reading = { now: 0, suspicious: false, redact: redaction.keys, redactor };
  const tidied = tidy(wrapped, bounds, reading);
  if (!("json" in tidied)) throw new Error(`stored JSON ${tidied.words}`);
  return tidied.isChanged ? tidied.json.slice(WRAPPING.length, -1) : json;
}

/** The number of secrets of each kind that are marked now and were not before. */
export function newMarks(before: string | null | undefined, after: string): Record<string, number> {
  const [known, all] = [before ?? null, after].map(
    (text) => JSON.parse(marksIn([text]) ?? "{}") as Record<string, number>,
  );
  const kinds = Object.entries(all ?? {}).map(([kind, count]) => [kind, count - (known?.[kind] ?? 0)] as const);
  return Object.fromEntries(kinds.filter(([, count]) => count > 0));
}

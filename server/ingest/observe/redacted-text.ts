import type { Redactor } from "../../../redaction/index.ts";
import type { Redaction } from "../rules/redaction.ts";
import { tidy } from "../rules/tidy.ts";
import type { ObservedText } from "./observation.ts";

const WRAPPING = '{"value":';

/** Structured input without its secrets; any other as it is. */
export function redactedText(
  args: ObservedText,
  { redaction, redactor, now }: { redaction: Redaction; redactor: Redactor; now: number },
): ObservedText {
  const { text, truncated } = args;
  if (!/^\s*[{[]/.test(text) || !mayHide(text, redaction)) return args;
  try {
    const wrapped: { value: unknown } = { value: JSON.parse(text) };
    const bounds = { levels: 64, bytes: Number.MAX_SAFE_INTEGER, redact: true };
    const tidied = tidy(wrapped, bounds, { now, suspicious: false, redact: redaction.keys, redactor });
    if (!("json" in tidied)) return args;
    const json = tidied.json.slice(WRAPPING.length, -1);
    return truncated ? { text: json, truncated } : { text: json };
  } catch {
    return args;
  }
}

/** Names may be spelled in escapes, and in any case. */
function mayHide(text: string, { keys }: Redaction): boolean {
  if (text.includes("\\u")) return true;
  const lower = text.toLowerCase();
  for (const key of keys) if (lower.includes(key)) return true;
  return false;
}

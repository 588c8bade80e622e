import { createHash } from "node:crypto";

/** What varies between two occurrences of the same failure, and what stands for it; longer patterns go first. */
const VARYING: [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [/\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d\S*/gi, "<time>"],
  [/https?:\/\/\S+/gi, "<url>"],
  [/\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b/gi, "<hex>"],
  [/\d+(\.\d+)?/g, "<n>"],
  [/\s+/g, " "],
];

/** Characters of a message that tell failures apart. */
const COMPARED = 300;

/** What a failed call says is wrong: the message of a JSON result, else its beginning. */
export function failureMessage(result: string): string {
  try {
    const parsed = JSON.parse(result) as unknown;
    return messageIn(parsed) ?? result;
  } catch {
    return result;
  }
}

/** Sixteen hexadecimal digits that are the same for two calls of one tool that failed in the same way. */
export function fingerprintOf(tool: string, result: string): string {
  const message = VARYING.reduce((text, [pattern, sign]) => text.replaceAll(pattern, sign), failureMessage(result));
  const normalized = `${tool}\n${message.trim().toLowerCase().slice(0, COMPARED)}`;
  return createHash("sha256").update(normalized).digest("hex").slice(0, 16);
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { error, message } = value as { error?: unknown; message?: unknown };
  return messageIn(error) ?? (typeof message === "string" ? message : undefined);
}

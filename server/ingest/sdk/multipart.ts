import { AppError } from "../../errors.ts";

/** A part of a form: its name, and its bytes, which are the body's own. */
export interface Part {
  name: string;
  content: Buffer;
}

/** The most parts of one form. A run has up to eight. */
const MAX_PARTS = 80_000;
const HEAD_END = Buffer.from("\r\n\r\n");
const NAME = /^content-disposition:[^\r\n]*[;\s]name="([^"\r\n]*)"/im;

/** The boundary in a Content-Type of multipart/form-data; undefined for other types. */
export const boundaryOf = (type: string): string | undefined =>
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary="?([^";\s]{1,200})"?/i.exec(type)?.[1];

/** Cuts a form into its parts. @throws AppError 400 */
export function partsOf(body: Buffer, boundary: string): Part[] {
  const parts: Part[] = [];
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  while (at >= 0) {
    const from = at + mark.length;
    const next = body.indexOf(mark, from);
    if (next < 0) break;
    parts.push(partOf(body.subarray(from, next)));
    if (parts.length > MAX_PARTS) throw malformed(`must have at most ${MAX_PARTS} parts`);
    at = next;
  }
  if (at < 0) throw malformed("has no part");
  return parts;
}

function partOf(bytes: Buffer): Part {
  const end = bytes.indexOf(HEAD_END);
  const name = NAME.exec(bytes.toString("latin1", 0, Math.max(end, 0)))?.[1];
  if (end < 0 || name === undefined) throw malformed("has a part without a name");
  const content = bytes.subarray(end + HEAD_END.length);
  return { name, content: content.subarray(0, Math.max(0, content.length - "\r\n".length)) };
}

const malformed = (words: string) => new AppError("input", `The form ${words}`, { tag: "invalid_body" });

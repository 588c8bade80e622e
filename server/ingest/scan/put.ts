import { HEX, PAIRS, putCopy, putInt32, setInt32, type Writer } from "../tuple/index.ts";
import { BACKSLASH, giveUp, hexUnit, LOWER_U, UNESCAPED } from "./cursor.ts";
import type { Field } from "./fields.ts";

const HYPHEN = 45;
const UUID_CHARS = 36;

/** Writes a UUID; room for it is reserved. @throws NOT_PLAIN when it is none */
export function putUuid(to: Writer, bytes: Buffer, { start, stop, escaped }: Field): void {
  const hyphens = bytes[start + 8] === HYPHEN && bytes[start + 13] === HYPHEN;
  if (stop - start !== UUID_CHARS || escaped || !hyphens) giveUp();
  if (bytes[start + 18] !== HYPHEN || bytes[start + 23] !== HYPHEN) giveUp();
  const { buffer, at } = to;
  setInt32(buffer, at, 16);
  let wrong = 0;
  for (let index = 0; index < 16; index += 1) {
    const pair = start + (PAIRS[index] ?? 0);
    const high = HEX[bytes[pair] ?? 0] ?? 0;
    const low = HEX[bytes[pair + 1] ?? 0] ?? 0;
    wrong |= high | low;
    buffer[at + 4 + index] = (high << 4) | low;
  }
  if (wrong > 15) giveUp();
  to.at = at + 20;
}

/** Writes a string whose escapes were checked, in UTF-8; room for as many bytes as it is spelled with is reserved. */
export function putText(to: Writer, bytes: Buffer, { start, stop, escaped }: Field): void {
  if (!escaped) {
    putInt32(to, stop - start);
    putCopy(to, bytes, start, stop);
    return;
  }
  const { buffer } = to;
  let out = to.at + 4;
  for (let at = start; at < stop; at += 1) {
    const code = bytes[at] ?? 0;
    if (code !== BACKSLASH) {
      buffer[out++] = code;
      continue;
    }
    at += 1;
    const kind = bytes[at] ?? 0;
    if (kind === LOWER_U) {
      const unit = hexUnit(bytes, at + 1);
      at += 4;
      const isPair = unit >= 0xd800 && unit <= 0xdbff;
      const point = isPair ? 0x10000 + ((unit - 0xd800) << 10) + hexUnit(bytes, at + 3) - 0xdc00 : unit;
      if (isPair) at += 6;
      out = putPoint(buffer, out, point);
    } else buffer[out++] = UNESCAPED[kind] ?? 0;
  }
  setInt32(buffer, to.at, out - to.at - 4);
  to.at = out;
}

/** Writes a code point in UTF-8 and answers where it ends. */
function putPoint(buffer: Buffer, at: number, point: number): number {
  if (point < 0x80) {
    buffer[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    buffer[at] = 0xc0 | (point >> 6);
    buffer[at + 1] = 0x80 | (point & 0x3f);
    return at + 2;
  }
  if (point < 0x10000) {
    buffer[at] = 0xe0 | (point >> 12);
    buffer[at + 1] = 0x80 | ((point >> 6) & 0x3f);
    buffer[at + 2] = 0x80 | (point & 0x3f);
    return at + 3;
  }
  buffer[at] = 0xf0 | (point >> 18);
  buffer[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  buffer[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  buffer[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}

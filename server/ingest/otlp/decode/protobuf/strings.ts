import { endOfBytes, type Wire } from "./wire.ts";

/** A string. Bytes that are no UTF-8 become U+FFFD: one bad text shall not cost a whole export. */
export function text(wire: Wire): string {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return utf8(wire, start, end);
}

/** The name of an attribute: a string of which an equal one was read lately is that string. */
export function nameText(wire: Wire): string {
  const { pbf, bytes, names } = wire;
  const end = endOfBytes(wire);
  const start = pbf.pos;
  pbf.pos = end;
  let sum = end - start;
  if (sum > MAX_NAME) return utf8(wire, start, end);
  for (let at = start; at < end; at += 1) sum = (sum * 31 + (bytes[at] ?? 0)) | 0;
  const place = sum & (NAMES - 1);
  const known = names[place];
  if (known && known.text.length === end - start && isEqual(bytes, known.start, start, end)) {
    wire.characters += known.text.length;
    return known.text;
  }
  const text = utf8(wire, start, end);
  // A text in ASCII has as many characters as bytes.
  if (text.length === end - start) names[place] = { start, text };
  return text;
}

/** Longer names are read anew each time. */
const MAX_NAME = 64;
/** Places for names: a power of two. */
const NAMES = 256;

function isEqual(bytes: Buffer, other: number, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[other + at - start] !== bytes[at]) return false;
  return true;
}

function utf8(wire: Wire, start: number, end: number): string {
  const text = wire.bytes.toString("utf8", start, end);
  wire.characters += text.length;
  return text;
}

/** Bytes in hex, as ids are written. */
export const hex = (wire: Wire): string => encoded(wire, "hex");

/** A trace's id in hex. An id that was read just now is the same string, which is found faster in maps. */
export function traceHex(wire: Wire): string {
  const { trace, bytes } = wire;
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  if (trace && trace.text.length === 2 * (end - start) && isEqual(bytes, trace.start, start, end)) return trace.text;
  const text = bytes.toString("hex", start, end);
  wire.trace = { start, text };
  return text;
}

/** Bytes in base64, as JSON writes them. */
export function base64(wire: Wire): string {
  const text = encoded(wire, "base64");
  wire.characters += text.length;
  return text;
}

function encoded(wire: Wire, encoding: "hex" | "base64"): string {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return wire.bytes.toString(encoding, start, end);
}

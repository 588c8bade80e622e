import { PbfReader } from "pbf";
import { AppError } from "../../../errors.ts";
import { MAX_FIELDS, MAX_VALUE_LEVELS, type Moment } from "../model.ts";

/**
 * A protobuf message that is being read. pbf reads the primitives and trusts what it reads; here each length and each type
 * is checked, and fields are counted.
 */
export interface Wire {
  pbf: PbfReader;
  bytes: Buffer;
  /** Where the message that is being read ends. */
  end: number;
  /** Fields and characters of text so far. */
  fields: number;
  characters: number;
  /** How deep the value nests that is being read. */
  level: number;
  /** Names that were read lately, by what their bytes add up to: an export spells the same few thousands of times. */
  names: (Name | undefined)[];
}

interface Name {
  start: number;
  text: string;
}

/** Reads one field of a message into what is made of it; false for a field it does not know. */
export type ReadField<T> = (tag: number, into: T, wire: Wire) => boolean;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;
/** Begins to read a message. */
export const openWire = (bytes: Buffer): Wire => ({
  pbf: new PbfReader(bytes),
  bytes,
  end: bytes.length,
  fields: 0,
  characters: 0,
  level: 0,
  names: [],
});

/** Reads all fields up to the end of the message. @throws AppError 400 when the bytes are no such message */
export function readFields<T>(wire: Wire, into: T, readField: ReadField<T>): T {
  const { pbf, end } = wire;
  while (pbf.pos < end) {
    const tag = nextTag(wire);
    if (!readField(tag, into, wire)) skip(wire);
    if (pbf.pos > end) throw malformed();
  }
  return into;
}

/** Reads a message inside the message. */
export function message<T>(wire: Wire, into: T, readField: ReadField<T>): T {
  const outer = wire.end;
  wire.end = endOfBytes(wire);
  readFields(wire, into, readField);
  wire.end = outer;
  return into;
}

/** A string. Bytes that are no UTF-8 become U+FFFD: one bad text shall not cost a whole export. */
export function text(wire: Wire): string {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return read(wire, start, end);
}

/** Longer names are read anew each time. */
const MAX_NAME = 64;
/** Places for names: a power of two. */
const NAMES = 256;

/** The name of an attribute: a string of which an equal one was read lately is that string. */
export function nameText(wire: Wire): string {
  const { pbf, bytes, names } = wire;
  const end = endOfBytes(wire);
  const start = pbf.pos;
  pbf.pos = end;
  let sum = end - start;
  if (sum > MAX_NAME) return read(wire, start, end);
  for (let at = start; at < end; at += 1) sum = (sum * 31 + (bytes[at] ?? 0)) | 0;
  const place = sum & (NAMES - 1);
  const known = names[place];
  if (known && known.text.length === end - start && isEqual(bytes, known.start, start, end)) {
    wire.characters += known.text.length;
    return known.text;
  }
  const text = read(wire, start, end);
  // Of ASCII alone the characters are as many as the bytes.
  if (text.length === end - start) names[place] = { start, text };
  return text;
}

function isEqual(bytes: Buffer, other: number, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[other + at - start] !== bytes[at]) return false;
  return true;
}

function read(wire: Wire, start: number, end: number): string {
  const text = wire.bytes.toString("utf8", start, end);
  wire.characters += text.length;
  return text;
}

/** Bytes in hex, as ids are written. */
export const hex = (wire: Wire): string => encoded(wire, "hex");

/** Bytes in base64, as JSON writes them. */
export function base64(wire: Wire): string {
  const read = encoded(wire, "base64");
  wire.characters += read.length;
  return read;
}

function encoded(wire: Wire, encoding: "hex" | "base64"): string {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return wire.bytes.toString(encoding, start, end);
}

/** An unsigned number below 2^53, such as those of an enumeration. */
export function unsigned(wire: Wire): number {
  expect(wire, VARINT);
  return varint(wire);
}

/** A signed integer; text when a double would change it. */
export function integer(wire: Wire): number | string {
  expect(wire, VARINT);
  const start = wire.pbf.pos;
  const value = varint(wire, true);
  return Number.isSafeInteger(value) ? value : exactInteger(wire.bytes, start);
}

function exactInteger(bytes: Buffer, start: number): string {
  let value = 0n;
  for (let at = 0; at < 10; at += 1) {
    const byte = bytes[start + at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * at);
    if (byte < 0x80) break;
  }
  return String(BigInt.asIntN(64, value));
}

/** A double. */
export function double(wire: Wire): number {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  return wire.pbf.readDouble();
}

const MILLION = 1_000_000;
const TWO_32 = 2 ** 32;

/** Nanoseconds since the epoch, which a double would round. */
export function moment(wire: Wire): Moment {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  const low = wire.pbf.readFixed32();
  const high = wire.pbf.readFixed32();
  const rest = (high % MILLION) * TWO_32 + low;
  return { ms: Math.floor(high / MILLION) * TWO_32 + Math.floor(rest / MILLION), nanos: rest % MILLION };
}

/** pbf takes what lies behind the end for a number without one, and throws. */
function varint({ pbf }: Wire, isSigned?: boolean): number {
  try {
    return pbf.readVarint(isSigned);
  } catch {
    throw malformed();
  }
}

function nextTag(wire: Wire): number {
  wire.fields += 1;
  if (wire.fields > MAX_FIELDS) throw tooMany();
  const key = varint(wire);
  wire.pbf.type = key & 7;
  if (key < 8 || key >= TWO_32) throw malformed();
  return key >>> 3;
}

function skip(wire: Wire): void {
  const { pbf, end } = wire;
  const { type } = pbf;
  if (type === VARINT) varint(wire);
  else if (type === BYTES) pbf.pos = endOfBytes(wire);
  else if (type === FIXED64) pbf.pos += 8;
  else if (type === FIXED32) pbf.pos += 4;
  else throw malformed();
  if (pbf.pos > end) throw malformed();
}

function endOfBytes(wire: Wire): number {
  expect(wire, BYTES);
  const length = varint(wire);
  const end = wire.pbf.pos + length;
  if (end > wire.end) throw malformed();
  return end;
}

function expect({ pbf }: Wire, type: number): void {
  if (pbf.type !== type) throw malformed();
}

/** The refusal of bytes that are no such message. */
export const malformed = () =>
  new AppError("input", "The body is not the protobuf message that this endpoint takes", { tag: "invalid_protobuf" });

/** The refusal of what nests too deep. */
export const tooDeep = () =>
  new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });

/** The refusal of what takes too long to walk. */
export const tooMany = () =>
  new AppError("input", `The body must hold at most ${MAX_FIELDS} fields; export less at once`, {
    tag: "too_many_values",
    limit: MAX_FIELDS,
  });

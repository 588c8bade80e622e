import { PbfReader } from "pbf";
import { AppError } from "../../../errors.ts";
import { MAX_FIELDS, type Moment } from "../model.ts";

/**
 * A protobuf message that is being read. pbf reads the primitives and trusts what it reads; here each length and each type
 * is checked, and fields are counted.
 */
export interface Wire {
  pbf: PbfReader;
  bytes: Buffer;
  /** The end of the message that is being read. */
  end: number;
  /** Fields and characters of text so far. */
  fields: number;
  characters: number;
  /** The level of nesting of the value that is being read. */
  level: number;
  /** Names that were read lately, by the sum of their bytes: an export spells the same names thousands of times. */
  names: (Name | undefined)[];
  /** The trace that was read last: the spans of one mostly come one after the other. */
  trace: Name | undefined;
}

/** A text, and where its bytes stand. */
interface Name {
  start: number;
  text: string;
}

/** Reads one field of a message into what is made of it; false for a field it does not know. */
export type ReadField<T> = (tag: number, into: T, wire: Wire) => boolean;

/** The wire types, in the low bits of a field's key. */
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];

/** Begins to read a message. */
export const openWire = (bytes: Buffer): Wire => ({
  pbf: new PbfReader(bytes),
  bytes,
  end: bytes.length,
  fields: 0,
  characters: 0,
  level: 0,
  names: [],
  trace: undefined,
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

/** Keys are below this. */
const MAX_KEY = 2 ** 32;

function nextTag(wire: Wire): number {
  wire.fields += 1;
  if (wire.fields > MAX_FIELDS) throw tooMany();
  const key = varint(wire);
  wire.pbf.type = key & 7;
  if (key < 8 || key >= MAX_KEY) throw malformed();
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

/** A number of variable length. pbf takes what lies behind the end for a number without one, and throws. */
function varint({ pbf }: Wire, isSigned?: boolean): number {
  try {
    return pbf.readVarint(isSigned);
  } catch {
    throw malformed();
  }
}

/** Reads a length and answers the end of the bytes, which lie within the message. */
function endOfBytes(wire: Wire): number {
  expect(wire, BYTES);
  const length = varint(wire);
  const end = wire.pbf.pos + length;
  if (end > wire.end) throw malformed();
  return end;
}

/** Moves over bytes, and answers where they began. */
function overBytes(wire: Wire): number {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return start;
}

/** Refuses a field of another wire type. */
function expect({ pbf }: Wire, type: number): void {
  if (pbf.type !== type) throw malformed();
}

const malformed = () =>
  new AppError("input", "The body is not the protobuf message that this endpoint takes", { tag: "invalid_protobuf" });

const tooMany = () =>
  new AppError("input", `The body must hold at most ${MAX_FIELDS} fields; export less at once`, {
    tag: "too_many_values",
    limit: MAX_FIELDS,
  });

/** A string. Bytes that are no UTF-8 become U+FFFD: one bad text shall not cost a whole export. */
export const text = (wire: Wire): string => counted(wire, utf8(wire, overBytes(wire)));

/** The name of an attribute: a string of which an equal one was read lately is that string. */
export function nameText(wire: Wire): string {
  const { pbf, bytes, names } = wire;
  const start = overBytes(wire);
  const end = pbf.pos;
  let sum = end - start;
  if (sum > MAX_NAME) return counted(wire, utf8(wire, start));
  for (let at = start; at < end; at += 1) sum = (sum * 31 + (bytes[at] ?? 0)) | 0;
  const place = sum & (NAMES - 1);
  const known = names[place];
  if (known && known.text.length === end - start && isEqual(bytes, known.start, start, end))
    return counted(wire, known.text);
  const text = utf8(wire, start);
  // A text in ASCII has as many characters as bytes.
  if (text.length === end - start) names[place] = { start, text };
  return counted(wire, text);
}

/** Longer names are read anew each time. */
const MAX_NAME = 64;
/** Places for names: a power of two. */
const NAMES = 256;

function isEqual(bytes: Buffer, other: number, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (bytes[other + at - start] !== bytes[at]) return false;
  return true;
}

const utf8 = (wire: Wire, start: number): string => wire.bytes.toString("utf8", start, wire.pbf.pos);

function counted(wire: Wire, text: string): string {
  wire.characters += text.length;
  return text;
}

/** Bytes in hex, as ids are written. */
export const hex = (wire: Wire): string => encoded(wire, "hex");

/** A trace's id in hex. An id that was read just now is the same string, which is found faster in maps. */
export function traceHex(wire: Wire): string {
  const { trace, bytes, pbf } = wire;
  const start = overBytes(wire);
  if (trace && trace.text.length === 2 * (pbf.pos - start) && isEqual(bytes, trace.start, start, pbf.pos))
    return trace.text;
  const text = bytes.toString("hex", start, pbf.pos);
  wire.trace = { start, text };
  return text;
}

/** Bytes in base64, as JSON writes them. */
export const base64 = (wire: Wire): string => counted(wire, encoded(wire, "base64"));

function encoded(wire: Wire, encoding: "hex" | "base64"): string {
  const start = overBytes(wire);
  return wire.bytes.toString(encoding, start, wire.pbf.pos);
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

/** A double; as text where it is no finite number, which JSON has no other way to say. */
export function double(wire: Wire): number | string {
  const value = fixed64(wire).readDouble();
  return Number.isFinite(value) ? value : String(value);
}

/** Nanoseconds since the epoch, which a double would round. */
export function moment(wire: Wire): Moment {
  const pbf = fixed64(wire);
  const low = pbf.readFixed32();
  const high = pbf.readFixed32();
  const rest = (high % MILLION) * TWO_32 + low;
  return { ms: Math.floor(high / MILLION) * TWO_32 + Math.floor(rest / MILLION), nanos: rest % MILLION };
}

const MILLION = 1_000_000;
const TWO_32 = 2 ** 32;

/** The reader before eight bytes, which lie within the message. */
function fixed64(wire: Wire): PbfReader {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  return wire.pbf;
}

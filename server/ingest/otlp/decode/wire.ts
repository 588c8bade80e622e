import { PbfReader } from "pbf";
import { AppError } from "../../../errors.ts";
import { MAX_FIELDS, type Moment } from "../model.ts";

/**
 * Protobuf message that is being read. The library pbf reads primitives and trusts its input. This module additionally
 * checks each length and type, and counts fields.
 */
export interface Wire {
  pbf: PbfReader;
  bytes: Buffer;
  /** End of the message that is being read. */
  end: number;
  /** Number of fields and characters of text read so far. */
  fields: number;
  characters: number;
  /** Nesting level of the value that is being read. */
  level: number;
  /** Cache of recent names, by a hash of their bytes. An export repeats the same names thousands of times. */
  names: (Name | undefined)[];
  /** Last trace id. Spans of one trace usually arrive in sequence. */
  trace: Name | undefined;
}

/** Text and the position of its bytes. */
interface Name {
  start: number;
  text: string;
}

/** Reads one field of a message into its result. Returns false for an unknown field. */
export type ReadField<T> = (tag: number, into: T, wire: Wire) => boolean;

/** Wire types, in the low bits of a field's key. */
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];

/** Starts reading a message. */
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

/** Reads all fields up to the end of the message. @throws AppError 400 when the bytes are not a valid message */
export function readFields<T>(wire: Wire, into: T, readField: ReadField<T>): T {
  const { pbf, end } = wire;
  while (pbf.pos < end) {
    const tag = nextTag(wire);
    if (!readField(tag, into, wire)) skip(wire);
    if (pbf.pos > end) throw malformed();
  }
  return into;
}

/** Reads a nested message. */
export function readMessage<T>(wire: Wire, into: T, readField: ReadField<T>): T {
  const outer = wire.end;
  wire.end = endOfBytes(wire);
  readFields(wire, into, readField);
  wire.end = outer;
  return into;
}

/** Field keys are below this value. */
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

/** Reads a varint. When the input ends within a varint, pbf throws an error. */
function varint({ pbf }: Wire, isSigned?: boolean): number {
  try {
    return pbf.readVarint(isSigned);
  } catch {
    throw malformed();
  }
}

/** Reads a length and returns the end of the bytes. The end must lie within the message. */
function endOfBytes(wire: Wire): number {
  expect(wire, BYTES);
  const length = varint(wire);
  const end = wire.pbf.pos + length;
  if (end > wire.end) throw malformed();
  return end;
}

/** Skips bytes, and returns their start. */
function overBytes(wire: Wire): number {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return start;
}

/** Rejects a field with another wire type. */
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

/** Reads a string. Invalid UTF-8 becomes U+FFFD, so that one invalid text does not reject a whole export. */
export const readText = (wire: Wire): string => counted(wire, utf8(wire, overBytes(wire)));

/** Reads an attribute name. An equal name that was read recently is reused as the same string object. */
export function readNameText(wire: Wire): string {
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
  // ASCII text has as many characters as bytes.
  if (text.length === end - start) names[place] = { start, text };
  return counted(wire, text);
}

/** Longer names are not cached. */
const MAX_NAME = 64;
/** Number of cache slots; a power of two. */
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

/** Reads bytes as hex, the form of ids. */
export const readHex = (wire: Wire): string => encoded(wire, "hex");

/** Reads a trace id as hex. A repeated id returns the same string object, which maps find faster. */
export function readTraceHex(wire: Wire): string {
  const { trace, bytes, pbf } = wire;
  const start = overBytes(wire);
  if (trace && trace.text.length === 2 * (pbf.pos - start) && isEqual(bytes, trace.start, start, pbf.pos))
    return trace.text;
  const text = bytes.toString("hex", start, pbf.pos);
  wire.trace = { start, text };
  return text;
}

/** Reads bytes as base64, the form in JSON. */
export const readBase64 = (wire: Wire): string => counted(wire, encoded(wire, "base64"));

function encoded(wire: Wire, encoding: "hex" | "base64"): string {
  const start = overBytes(wire);
  return wire.bytes.toString(encoding, start, wire.pbf.pos);
}

/** Reads an unsigned number below 2^53, such as an enum value. */
export function readUnsigned(wire: Wire): number {
  expect(wire, VARINT);
  return varint(wire);
}

/** Reads a signed integer; as text if a double would round the integer. */
export function readInteger(wire: Wire): number | string {
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

/** Reads a double; as text if not finite, because JSON has no other form. */
export function readDouble(wire: Wire): number | string {
  const value = fixed64(wire).readDouble();
  return Number.isFinite(value) ? value : String(value);
}

/** Reads nanoseconds since 1970, which a double would round. */
export function readMoment(wire: Wire): Moment {
  const pbf = fixed64(wire);
  const low = pbf.readFixed32();
  const high = pbf.readFixed32();
  const rest = (high % MILLION) * TWO_32 + low;
  return { ms: Math.floor(high / MILLION) * TWO_32 + Math.floor(rest / MILLION), nanos: rest % MILLION };
}

const MILLION = 1_000_000;
const TWO_32 = 2 ** 32;

/** Checks that eight bytes remain in the message, and returns the reader. */
function fixed64(wire: Wire): PbfReader {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  return wire.pbf;
}

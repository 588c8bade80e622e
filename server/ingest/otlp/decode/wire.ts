import { PbfReader } from "pbf";
import { AppError } from "../../../errors.ts";
import { MAX_PROTOBUF_FIELDS, type NanoTimestamp } from "../model.ts";

/**
 * State of reading a protobuf message. The library pbf reads primitive values and trusts its input. This module
 * therefore also checks each length and type, and counts the fields.
 */
export interface ProtobufCursor {
  pbf: PbfReader;
  bytes: Buffer;
  /** End of the message that is being read. */
  end: number;
  /** Number of fields and characters of text read so far. */
  fields: number;
  characters: number;
  /** Nesting level of the value that is being read. */
  level: number;
  /**
   * Cache of recently read names. The index is a hash of the name's bytes. The cache helps because an export repeats
   * the same names thousands of times.
   */
  names: (Name | undefined)[];
  /** Trace id that was read last. The spans of a trace usually follow each other. */
  trace: Name | undefined;
}

/** Text, and the position at which its bytes start. */
interface Name {
  start: number;
  text: string;
}

/** Reads one field of a message into its result. Returns false for an unknown field. */
export type ReadField<T> = (tag: number, into: T, wire: ProtobufCursor) => boolean;

/** Wire types, in the low bits of a field's key. */
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];

/** Starts reading a message. */
export const createProtobufCursor = (bytes: Buffer): ProtobufCursor => ({
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
export function readFields<T>(wire: ProtobufCursor, into: T, readField: ReadField<T>): T {
  const { pbf, end } = wire;
  while (pbf.pos < end) {
    const tag = nextTag(wire);
    if (!readField(tag, into, wire)) skip(wire);
    if (pbf.pos > end) throw malformed();
  }
  return into;
}

/** Reads a nested message. */
export function readMessage<T>(wire: ProtobufCursor, into: T, readField: ReadField<T>): T {
  const outer = wire.end;
  wire.end = endOfBytes(wire);
  readFields(wire, into, readField);
  wire.end = outer;
  return into;
}

/** Every field key is less than `MAX_KEY`. */
const MAX_KEY = 2 ** 32;

function nextTag(wire: ProtobufCursor): number {
  wire.fields += 1;
  if (wire.fields > MAX_PROTOBUF_FIELDS) throw tooMany();
  const key = varint(wire);
  wire.pbf.type = key & 7;
  if (key < 8 || key >= MAX_KEY) throw malformed();
  return key >>> 3;
}

function skip(wire: ProtobufCursor): void {
  const { pbf, end } = wire;
  const { type } = pbf;
  if (type === VARINT) varint(wire);
  else if (type === BYTES) pbf.pos = endOfBytes(wire);
  else if (type === FIXED64) pbf.pos += 8;
  else if (type === FIXED32) pbf.pos += 4;
  else throw malformed();
  if (pbf.pos > end) throw malformed();
}

/**
 * Reads a varint. If the input ends inside the varint, pbf throws an error, which is replaced by the error for a
 * malformed body.
 */
function varint({ pbf }: ProtobufCursor, isSigned?: boolean): number {
  try {
    return pbf.readVarint(isSigned);
  } catch {
    throw malformed();
  }
}

/** Reads a length and returns the end of the bytes. The end must lie within the message. */
function endOfBytes(wire: ProtobufCursor): number {
  expect(wire, BYTES);
  const length = varint(wire);
  const end = wire.pbf.pos + length;
  if (end > wire.end) throw malformed();
  return end;
}

/** Skips a sequence of bytes, and returns the start of the sequence. */
function overBytes(wire: ProtobufCursor): number {
  const end = endOfBytes(wire);
  const start = wire.pbf.pos;
  wire.pbf.pos = end;
  return start;
}

/** Rejects a field with another wire type. */
function expect({ pbf }: ProtobufCursor, type: number): void {
  if (pbf.type !== type) throw malformed();
}

const malformed = () =>
  new AppError("input", "The body is not a valid protobuf message for this endpoint", { tag: "invalid_protobuf" });

const tooMany = () =>
  new AppError("input", `The body must hold at most ${MAX_PROTOBUF_FIELDS} fields; export less at once`, {
    tag: "too_many_values",
    limit: MAX_PROTOBUF_FIELDS,
  });

/** Reads a string. Invalid UTF-8 becomes U+FFFD, so that one invalid text does not reject a whole export. */
export const readText = (wire: ProtobufCursor): string => counted(wire, utf8(wire, overBytes(wire)));

/** Reads an attribute name. An equal name that was read recently is reused as the same string object. */
export function readNameText(wire: ProtobufCursor): string {
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
  // Caches only ASCII text. In ASCII text, the number of characters equals the number of bytes, which the comparison
  // above relies on.
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

const utf8 = (wire: ProtobufCursor, start: number): string => wire.bytes.toString("utf8", start, wire.pbf.pos);

function counted(wire: ProtobufCursor, text: string): string {
  wire.characters += text.length;
  return text;
}

/** Reads bytes as hex, the form of ids. */
export const readHex = (wire: ProtobufCursor): string => encoded(wire, "hex");

/** Reads a trace id as hex. A repeated id returns the same string object, which maps find faster. */
export function readTraceHex(wire: ProtobufCursor): string {
  const { trace, bytes, pbf } = wire;
  const start = overBytes(wire);
  if (trace && trace.text.length === 2 * (pbf.pos - start) && isEqual(bytes, trace.start, start, pbf.pos))
    return trace.text;
  const text = bytes.toString("hex", start, pbf.pos);
  wire.trace = { start, text };
  return text;
}

/** Reads bytes as base64, because JSON represents bytes in this form. */
export const readBase64 = (wire: ProtobufCursor): string => counted(wire, encoded(wire, "base64"));

function encoded(wire: ProtobufCursor, encoding: "hex" | "base64"): string {
  const start = overBytes(wire);
  return wire.bytes.toString(encoding, start, wire.pbf.pos);
}

/** Reads an unsigned number below 2^53, such as an enum value. */
export function readUnsigned(wire: ProtobufCursor): number {
  expect(wire, VARINT);
  return varint(wire);
}

/** Reads a signed integer; as text if a double would round the integer. */
export function readInteger(wire: ProtobufCursor): number | string {
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
export function readDouble(wire: ProtobufCursor): number | string {
  const value = fixed64(wire).readDouble();
  return Number.isFinite(value) ? value : String(value);
}

/**
 * Reads a time in nanoseconds since 1970. A double would round the number, so the result has milliseconds and remaining
 * nanoseconds.
 */
export function readNanoTimestamp(wire: ProtobufCursor): NanoTimestamp {
  const pbf = fixed64(wire);
  const low = pbf.readFixed32();
  const high = pbf.readFixed32();
  const rest = (high % MILLION) * TWO_32 + low;
  return { ms: Math.floor(high / MILLION) * TWO_32 + Math.floor(rest / MILLION), nanos: rest % MILLION };
}

const MILLION = 1_000_000;
const TWO_32 = 2 ** 32;

/** Checks that eight bytes remain in the message, and returns the reader. */
function fixed64(wire: ProtobufCursor): PbfReader {
  expect(wire, FIXED64);
  if (wire.pbf.pos + 8 > wire.end) throw malformed();
  return wire.pbf;
}

import { PbfReader } from "pbf";
import { MAX_FIELDS } from "../../model.ts";
import { malformed, tooMany } from "./refusals.ts";

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

/** The wire type of numbers of variable length, in the low bits of a field's key. */
export const VARINT = 0;
/** The wire type of eight bytes. */
export const FIXED64 = 1;
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
export function varint({ pbf }: Wire, isSigned?: boolean): number {
  try {
    return pbf.readVarint(isSigned);
  } catch {
    throw malformed();
  }
}

/** Reads a length and answers the end of the bytes. @throws AppError 400 when they reach beyond the message */
export function endOfBytes(wire: Wire): number {
  expect(wire, BYTES);
  const length = varint(wire);
  const end = wire.pbf.pos + length;
  if (end > wire.end) throw malformed();
  return end;
}

/** Refuses a field of another wire type. */
export function expect({ pbf }: Wire, type: number): void {
  if (pbf.type !== type) throw malformed();
}

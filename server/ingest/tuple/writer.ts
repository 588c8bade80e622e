/** Growing buffer for values in PostgreSQL's binary format. */
export interface Writer {
  buffer: Buffer;
  at: number;
}

/** Creates a writer with an initial capacity of `bytes`. */
export const createBufferWriter = (bytes: number): Writer => ({ buffer: Buffer.allocUnsafe(bytes), at: 0 });

export const writtenBytes = ({ buffer, at }: Writer): Buffer => buffer.subarray(0, at);

/** Ensures space for `bytes` more bytes. */
export function reserve(to: Writer, bytes: number): void {
  if (to.at + bytes <= to.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(to.buffer.length * 2, to.at + bytes));
  to.buffer.copy(larger, 0, 0, to.at);
  to.buffer = larger;
}

/**
 * Writes the integer in big-endian order, like the whole protocol. Writes byte by byte, because Buffer's own methods
 * spend more time on checks than on writing.
 */
export function putInt16(to: Writer, value: number): void {
  reserve(to, 2);
  const { buffer, at } = to;
  buffer[at] = value >> 8;
  buffer[at + 1] = value;
  to.at = at + 2;
}

export function putInt32(to: Writer, value: number): void {
  reserve(to, 4);
  setInt32(to.buffer, to.at, value);
  to.at += 4;
}

/** Writes NULL, in tuples and in arrays. */
export const putNull = (to: Writer): void => putInt32(to, -1);

/** Writes a non-negative integer up to 2^53. */
export function putInt64(to: Writer, value: number): void {
  reserve(to, 8);
  setInt32(to.buffer, to.at, Math.floor(value / 0x1_0000_0000));
  setInt32(to.buffer, to.at + 4, value % 0x1_0000_0000);
  to.at += 8;
}

/** Writes at a position that is already reserved. */
export function setInt32(buffer: Buffer, at: number, value: number): void {
  buffer[at] = value >>> 24;
  buffer[at + 1] = value >>> 16;
  buffer[at + 2] = value >>> 8;
  buffer[at + 3] = value;
}

/** Up to this number of bytes, copying in a loop is faster than calling the engine. */
const SHORT = 200;

/** Copies a range of bytes and ensures space for them. */
export function putByteRange(to: Writer, bytes: Buffer, start: number, stop: number): void {
  const length = stop - start;
  reserve(to, length);
  const { buffer, at } = to;
  if (length > SHORT) bytes.copy(buffer, at, start, stop);
  else for (let index = 0; index < length; index += 1) buffer[at + index] = bytes[start + index] ?? 0;
  to.at = at + length;
}

export const putBytes = (to: Writer, bytes: Buffer): void => putByteRange(to, bytes, 0, bytes.length);

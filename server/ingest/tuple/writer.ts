/** A buffer that grows as values are written to it in PostgreSQL's binary format. */
export interface Writer {
  buffer: Buffer;
  at: number;
}

/** A writer with room for `bytes` to begin with. */
export const writer = (bytes: number): Writer => ({ buffer: Buffer.allocUnsafe(bytes), at: 0 });

/** The bytes that were written. */
export const written = ({ buffer, at }: Writer): Buffer => buffer.subarray(0, at);

/** Makes room for `bytes` more. */
export function reserve(to: Writer, bytes: number): void {
  if (to.at + bytes <= to.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(to.buffer.length * 2, to.at + bytes));
  to.buffer.copy(larger, 0, 0, to.at);
  to.buffer = larger;
}

/** Big-endian, as everything in the protocol. Byte by byte: Buffer's own methods check more than they write. */
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

/** NULL, in tuples as in arrays. */
export const putNull = (to: Writer): void => putInt32(to, -1);

/** An integer of up to 2^53, not negative. */
export function putInt64(to: Writer, value: number): void {
  reserve(to, 8);
  setInt32(to.buffer, to.at, Math.floor(value / 0x1_0000_0000));
  setInt32(to.buffer, to.at + 4, value % 0x1_0000_0000);
  to.at += 8;
}

/** Writes at a place that is already reserved. */
export function setInt32(buffer: Buffer, at: number, value: number): void {
  buffer[at] = value >>> 24;
  buffer[at + 1] = value >>> 16;
  buffer[at + 2] = value >>> 8;
  buffer[at + 3] = value;
}

/** Below this a loop beats the call into the engine. */
const SHORT = 200;

/** Copies bytes; makes room for them. */
export function putCopy(to: Writer, bytes: Buffer, start: number, stop: number): void {
  const length = stop - start;
  reserve(to, length);
  const { buffer, at } = to;
  if (length > SHORT) bytes.copy(buffer, at, start, stop);
  else for (let index = 0; index < length; index += 1) buffer[at + index] = bytes[start + index] ?? 0;
  to.at = at + length;
}

/** Copies all of some bytes. */
export const putBytes = (to: Writer, bytes: Buffer): void => putCopy(to, bytes, 0, bytes.length);

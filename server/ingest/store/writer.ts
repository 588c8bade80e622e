/** A buffer that grows as values are written to it in PostgreSQL's binary format. */
export interface Writer {
  buffer: Buffer;
  at: number;
}

/** A writer with room for `bytes` to begin with. */
export const writer = (bytes: number): Writer => ({ buffer: Buffer.allocUnsafe(bytes), at: 0 });

/** What was written. */
export const written = ({ buffer, at }: Writer): Buffer => buffer.subarray(0, at);

/** Makes room for `bytes` more. */
export function reserve(to: Writer, bytes: number): void {
  if (to.at + bytes <= to.buffer.length) return;
  const larger = Buffer.allocUnsafe(Math.max(to.buffer.length * 2, to.at + bytes));
  to.buffer.copy(larger, 0, 0, to.at);
  to.buffer = larger;
}

/** Big-endian, as everything in the protocol. */
export function putInt16(to: Writer, value: number): void {
  reserve(to, 2);
  to.at = to.buffer.writeInt16BE(value, to.at);
}

export function putInt32(to: Writer, value: number): void {
  reserve(to, 4);
  to.at = to.buffer.writeInt32BE(value, to.at);
}

/** An integer of up to 2^53, not negative. */
export function putInt64(to: Writer, value: number): void {
  reserve(to, 8);
  to.at = to.buffer.writeUInt32BE(Math.floor(value / 0x1_0000_0000), to.at);
  to.at = to.buffer.writeUInt32BE(value % 0x1_0000_0000, to.at);
}

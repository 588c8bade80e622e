const rotate = (value: number, by: number) => (value << by) | (value >>> (32 - by));
const START = (0x9e3779b9 + 16 + 3_923_095) | 0;

/**
 * Returns the hash of a UUID by which Citus finds the shard. The hash equals PostgreSQL's `hash_bytes` of the UUID's 16
 * bytes on a little-endian machine.
 */
export function hashUuid(uuid: string): number {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  const word = (at: number) => bytes.readInt32LE(4 * at);
  let a = (START + word(0)) | 0;
  let b = (START + word(1)) | 0;
  let c = (START + word(2)) | 0;
  // Mixes the first 12 bytes.
  for (const [first, second, third] of [
    [4, 6, 8],
    [16, 19, 4],
  ] as const) {
    a = (a - c) ^ rotate(c, first);
    c = (c + b) | 0;
    b = (b - a) ^ rotate(a, second);
    a = (a + c) | 0;
    c = (c - b) ^ rotate(b, third);
    b = (b + a) | 0;
  }
  a = (a + word(3)) | 0;
  // Mixes the last 4 bytes.
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

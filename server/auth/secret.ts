import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a secret that the server must read again, such as a webhook's, with AES-256-GCM and a key derived from the
 * server's secret. `owner` (the row's id) is authenticated, so the bytes cannot be decrypted in another row.
 */
export function encryptSecret(root: Uint8Array, owner: string, plain: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyFrom(root), iv).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts the result of `encryptSecret`.
 * @throws if the server's secret differs or the bytes were changed.
 */
export function decryptSecret(root: Uint8Array, owner: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  const decipher = createDecipheriv("aes-256-gcm", keyFrom(root), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
}

const keys = new WeakMap<Uint8Array, Buffer>();

function keyFrom(root: Uint8Array): Buffer {
  const known = keys.get(root);
  if (known) return known;
  const key = Buffer.from(hkdfSync("sha256", root, "", "trackway secrets at rest", 32));
  keys.set(root, key);
  return key;
}

const SECRET_NAMES = new Set([
  "token",
  "key",
  "secret",
  "accessToken",
  "refreshToken",
  "access_token",
  "refresh_token",
  "password",
]);
const SHAPES =
  /trk_(?:api|oauth|refresh|code)_[0-9a-f]{40}|sk_[0-9a-f]{64}|whsec_[A-Za-z0-9+/]{43}|eyJ[\w-]{10,}\.[\w-]{10,}\./;
/** Minimum length of a part that identifies a secret. Shorter parts could be ordinary words. */
const TELLING = 12;

const minted = new Set<string>();

/** Remembers every secret, at any depth, in a value that a test sent or received. */
export function noteSecrets(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== "string") noteSecrets(inner);
    else if (SECRET_NAMES.has(name)) for (const part of partsOf(inner)) minted.add(part);
  }
}

/** Returns the log lines that contain a secret of this run, or any text in the form of a secret. */
export const findLeaks = (lines: readonly string[]): string[] =>
  lines.filter((line) => SHAPES.test(line) || partsOf(line).some((part) => minted.has(part)));

const partsOf = (text: string) => text.split(/[^\w-]+/).filter((part) => part.length >= TELLING);

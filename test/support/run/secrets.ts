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
/** Parts this long stand for their secret: shorter ones are words. */
const TELLING = 12;

const minted = new Set<string>();

/** Remembers every secret in what a test sent or got, however deep. */
export function noteSecrets(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner !== "string") noteSecrets(inner);
    else if (SECRET_NAMES.has(name)) for (const part of partsOf(inner)) minted.add(part);
  }
}

/** Lines of the log that hold a secret this run minted, or anything in the shape of one. */
export const leaksIn = (lines: readonly string[]): string[] =>
  lines.filter((line) => SHAPES.test(line) || partsOf(line).some((part) => minted.has(part)));

const partsOf = (text: string) => text.split(/[^\w-]+/).filter((part) => part.length >= TELLING);

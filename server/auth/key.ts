import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** A key in the form that is shown once, and its stored form. */
export interface MintedKey {
  key: string;
  /** SHA-256 of the whole key, the only form that is stored. */
  hash: Buffer;
  last4: string;
}

const CHECKSUM_DIGITS = 8;
const PERSONAL = { prefix: "trk_api_", digits: 40 };
const INGEST = { prefix: "sk_", digits: 64 };
const OAUTH = { prefix: "trk_oauth_", digits: 64 };
const OAUTH_REFRESH = { prefix: "trk_refresh_", digits: 64 };
const OAUTH_CODE = { prefix: "trk_code_", digits: 64 };
type Format = typeof PERSONAL;

/** Mints a personal key: `trk_api_` + 40 hex digits, the last 8 a CRC32 of the 32 before. */
export const mintPersonalKey = (): MintedKey => mint(PERSONAL);

/** Mints an ingest key: `sk_` + 64 hex digits, the last 8 a CRC32 of the 56 before. */
export const mintIngestKey = (): MintedKey => mint(INGEST);

/** Mints an access token of OAuth: `trk_oauth_` + 64 hex digits, the last 8 a CRC32 of the 56 before. */
export const mintOAuthToken = (): MintedKey => mint(OAUTH);

/** Mints a refresh token of OAuth, which opens nothing by itself. */
export const mintOAuthRefreshToken = (): MintedKey => mint(OAUTH_REFRESH);

/** Mints an authorization code of OAuth, which counts once. */
export const mintOAuthCode = (): MintedKey => mint(OAUTH_CODE);

/** True for a text that could be an access token of OAuth. False costs no query. */
export const isOAuthToken = (text: string): boolean => matches(OAUTH, text);

/** True for a text that could be a personal key. False costs no query. */
export const isPersonalKey = (text: string): boolean => matches(PERSONAL, text);

/** True for a text that could be an ingest key. False costs no query. */
export const isIngestKey = (text: string): boolean => matches(INGEST, text);

/** The form in which keys and opaque tokens are stored and looked up. */
export const hashKey = (key: string): Buffer => createHash("sha256").update(key).digest();

function mint(format: Format): MintedKey {
  const random = randomBytes((format.digits - CHECKSUM_DIGITS) / 2).toString("hex");
  const key = format.prefix + random + checksum(random);
  return { key, hash: hashKey(key), last4: key.slice(-4) };
}

function matches(format: Format, text: string): boolean {
  if (text.length !== format.prefix.length + format.digits || !text.startsWith(format.prefix)) return false;
  const digits = text.slice(format.prefix.length);
  return /^[0-9a-f]+$/.test(digits) && checksum(digits.slice(0, -CHECKSUM_DIGITS)) === digits.slice(-CHECKSUM_DIGITS);
}

const checksum = (digits: string) => crc32(digits).toString(16).padStart(CHECKSUM_DIGITS, "0");

import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** A new key as shown once, and its stored form. */
export interface MintedKey {
  key: string;
  /** SHA-256 of the whole key. Only the hash is stored. */
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

/** Creates a personal key: `trk_api_` + 40 hex digits. The last 8 digits are a CRC32 of the 32 before. */
export const mintPersonalKey = (): MintedKey => mint(PERSONAL);

/** Creates an ingest key: `sk_` + 64 hex digits. The last 8 digits are a CRC32 of the 56 before. */
export const mintIngestKey = (): MintedKey => mint(INGEST);

/** Creates an OAuth access token: `trk_oauth_` + 64 hex digits. The last 8 digits are a CRC32 of the 56 before. */
export const mintOAuthToken = (): MintedKey => mint(OAUTH);

/** Creates an OAuth refresh token, which authorizes no request except the exchange for new tokens. */
export const mintOAuthRefreshToken = (): MintedKey => mint(OAUTH_REFRESH);

/** Creates an OAuth authorization code, which can be exchanged once. */
export const mintOAuthCode = (): MintedKey => mint(OAUTH_CODE);

/** Returns true if a text has the form of an OAuth access token. The check of the form needs no query. */
export const isOAuthToken = (text: string): boolean => matches(OAUTH, text);

/** Returns true if a text has the form of a personal key. The check of the form needs no query. */
export const isPersonalKey = (text: string): boolean => matches(PERSONAL, text);

/** Returns true if a text has the form of an ingest key. The check of the form needs no query. */
export const isIngestKey = (text: string): boolean => matches(INGEST, text);

/** Returns the hash under which keys and opaque tokens are stored and looked up. */
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

import { definePreparedStatement, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { DEFAULT_OPTIONS, type RedactionOptions } from "../../redaction/index.ts";
import { createCache, weakMemoize } from "../cache.ts";
import {
  type CostCalculator,
  createCostCalculator,
  DEFAULT_PRICE_OPTIONS,
  type PriceOptions,
} from "../prices/prices.ts";
import type { Runtime } from "../runtime.ts";
import { createSecretScanner, type SecretScanner } from "../scans/index.ts";

/** Lifetime of a cache entry, in ms. A server may use outdated settings for this time. */
const FRESH_MS = 1_000;
/** After this time, in ms, the settings are read again in the background, while requests use the cached settings. */
const RENEWED_MS = 500;
/** Measured memory, in bytes: for each scanner, and in addition for each character of the settings. */
const [SCANNER_BYTES, CHARACTER_BYTES] = [1_000, 150];

/** The settings for an organization's recordings, ready for use. */
export interface RecordingSettings {
  scanner: SecretScanner;
  prices: CostCalculator;
}

interface Known extends RecordingSettings {
  /** The settings as JSON text. */
  options: string;
}

interface Entry {
  known: Promise<Known>;
  bytes: number;
  /** Time of the read, by `performance.now()`. */
  begun: number;
  isRenewed?: true;
}

type Parts = Pick<Runtime, "db" | "secret">;
type Cache = ReturnType<typeof cacheOf>;

const cacheOf = weakMemoize((_: Database) =>
  createCache<Entry>({ name: "switches", sizeOf: ({ bytes }) => bytes, ttl: FRESH_MS }),
);

/**
 * Returns the organization's settings, at most one second old. One or two queries per second serve all requests of an
 * organization, and a change takes effect on every server within a second.
 */
export async function readRecordingSettings(parts: Parts, organizationId: string): Promise<RecordingSettings> {
  const cache = cacheOf(parts.db);
  const fresh = cache.get(organizationId, { noDeleteOnStaleGet: true });
  if (!fresh) return readAnew(parts, cache, organizationId);
  if (!fresh.isRenewed && performance.now() - fresh.begun >= RENEWED_MS) {
    fresh.isRenewed = true;
    renew(parts, cache, organizationId).catch(() => {}); // On failure, the next request after expiry reads the settings again.
  }
  return fresh.known;
}

/** Reads the settings. Concurrent requests wait for the same result. */
async function readAnew({ db, secret }: Parts, cache: Cache, organizationId: string): Promise<Known> {
  const before = cache.peek(organizationId, { allowStale: true });
  const begun = performance.now();
  const entry: Entry = { known: read(db, organizationId, secret, before?.known), bytes: SCANNER_BYTES, begun };
  cache.set(organizationId, entry);
  try {
    const known = await entry.known;
    cacheSettings(cache, organizationId, known, begun);
    return known;
  } catch (error) {
    if (cache.peek(organizationId) === entry) cache.delete(organizationId);
    throw error;
  }
}

/** Reads the settings while the cached settings are still valid. */
async function renew({ db, secret }: Parts, cache: Cache, organizationId: string): Promise<void> {
  const before = cache.peek(organizationId);
  const begun = performance.now();
  const known = await read(db, organizationId, secret, before?.known);
  if ((cache.peek(organizationId)?.begun ?? 0) < begun) cacheSettings(cache, organizationId, known, begun);
}

function cacheSettings(cache: Cache, organizationId: string, known: Known, begun: number): void {
  const bytes = SCANNER_BYTES + CHARACTER_BYTES * known.options.length;
  cache.set(organizationId, { known: Promise.resolve(known), bytes, begun }, { start: begun });
}

export const getScanner = async (
  runtime: Pick<Runtime, "db" | "secret">,
  organizationId: string,
): Promise<SecretScanner> => (await readRecordingSettings(runtime, organizationId)).scanner;

const optionsById = definePreparedStatement("switches", ["id"], (by) =>
  knex("organization")
    .where(by)
    .select("redactionEnabled", "redactionEntropy", "redactionPersonalData", "redactionPatterns")
    .select("pricesEnabled", "ownPrices"),
);

interface Row {
  redactionEnabled: boolean;
  redactionEntropy: boolean;
  redactionPersonalData: boolean;
  redactionPatterns: RedactionOptions["patterns"];
  pricesEnabled: boolean;
  ownPrices: PriceOptions["own"];
}

/** Compiles the patterns again only if the settings have changed. */
async function read(
  db: Database,
  organizationId: string,
  secret: Uint8Array,
  before: Promise<Known> | undefined,
): Promise<Known> {
  const turn = { queueClass: "short", tenant: organizationId } as const;
  const [row] = await db.query<Row>(optionsById({ id: organizationId }), undefined, turn);
  const redaction = row ? optionsOf(row) : DEFAULT_OPTIONS;
  const prices = row ? { enabled: row.pricesEnabled, own: row.ownPrices } : DEFAULT_PRICE_OPTIONS;
  const options = JSON.stringify([redaction, prices]);
  const last = await before?.catch(() => undefined);
  if (last?.options === options) return last;
  return {
    scanner: createSecretScanner(secret, organizationId, redaction),
    prices: createCostCalculator(prices),
    options,
  };
}

const optionsOf = (row: Row): RedactionOptions => ({
  enabled: row.redactionEnabled,
  entropy: row.redactionEntropy,
  personalData: row.redactionPersonalData,
  patterns: row.redactionPatterns,
});

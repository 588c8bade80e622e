import { compiled, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { DEFAULT_OPTIONS, type RedactionOptions } from "../../redaction/index.ts";
import { createCache, weakMemoize } from "../cache.ts";
import { DEFAULT_PRICES, type PriceOptions, type Prices, pricesFor } from "../prices/prices.ts";
import type { Runtime } from "../runtime.ts";
import { type Scanner, scannerFor } from "../scans/index.ts";

/** The life of an entry, in ms: so long a server may go by switches that have been changed. */
const FRESH_MS = 1_000;
/** After so long they are read anew beside the requests, none of which waits. */
const RENEWED_MS = 500;
/** Measured: a scanner takes so much, and each character of its patterns that much more. */
const [SCANNER_BYTES, CHARACTER_BYTES] = [1_000, 150];

/** The switches of an organization's recordings, ready for use. */
export interface Switches {
  scanner: Scanner;
  prices: Prices;
}

interface Known extends Switches {
  /** The switches as JSON text. */
  options: string;
}

interface Entry {
  known: Promise<Known>;
  bytes: number;
  /** When they were read, by `performance.now()`. */
  begun: number;
  isRenewed?: true;
}

type Parts = Pick<Runtime, "db" | "secret">;
type Cache = ReturnType<typeof cacheOf>;

const cacheOf = weakMemoize((_: Database) =>
  createCache<Entry>({ name: "switches", sizeOf: ({ bytes }) => bytes, ttl: FRESH_MS }),
);

/**
 * The switches of an organization as they were a moment ago at most. A query or two a second serve all of its requests, and
 * a change counts on every server after that second.
 */
export async function switchesOf(parts: Parts, organizationId: string): Promise<Switches> {
  const cache = cacheOf(parts.db);
  const fresh = cache.get(organizationId, { noDeleteOnStaleGet: true });
  if (!fresh) return readAnew(parts, cache, organizationId);
  if (!fresh.isRenewed && performance.now() - fresh.begun >= RENEWED_MS) {
    fresh.isRenewed = true;
    renew(parts, cache, organizationId).catch(() => {}); // Whoever comes when these are too old asks again.
  }
  return fresh.known;
}

/** Reads the switches; requests that come meanwhile wait for the same answer. */
async function readAnew({ db, secret }: Parts, cache: Cache, organizationId: string): Promise<Known> {
  const before = cache.peek(organizationId, { allowStale: true });
  const begun = performance.now();
  const entry: Entry = { known: read(db, organizationId, secret, before?.known), bytes: SCANNER_BYTES, begun };
  cache.set(organizationId, entry);
  try {
    const known = await entry.known;
    keep(cache, organizationId, known, begun);
    return known;
  } catch (error) {
    if (cache.peek(organizationId) === entry) cache.delete(organizationId);
    throw error;
  }
}

/** Reads the switches while those that are known still count. */
async function renew({ db, secret }: Parts, cache: Cache, organizationId: string): Promise<void> {
  const before = cache.peek(organizationId);
  const begun = performance.now();
  const known = await read(db, organizationId, secret, before?.known);
  if ((cache.peek(organizationId)?.begun ?? 0) < begun) keep(cache, organizationId, known, begun);
}

function keep(cache: Cache, organizationId: string, known: Known, begun: number): void {
  const bytes = SCANNER_BYTES + CHARACTER_BYTES * known.options.length;
  cache.set(organizationId, { known: Promise.resolve(known), bytes, begun }, { start: begun });
}

/** The scanner of an organization. */
export const scannerOf = async (runtime: Pick<Runtime, "db" | "secret">, organizationId: string): Promise<Scanner> =>
  (await switchesOf(runtime, organizationId)).scanner;

const optionsById = compiled("switches", ["id"], (by) =>
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

/** Patterns are prepared anew only where the switches have changed. */
async function read(
  db: Database,
  organizationId: string,
  secret: Uint8Array,
  before: Promise<Known> | undefined,
): Promise<Known> {
  const turn = { queueClass: "short", tenant: organizationId } as const;
  const [row] = await db.query<Row>(optionsById({ id: organizationId }), undefined, turn);
  const redaction = row ? optionsOf(row) : DEFAULT_OPTIONS;
  const prices = row ? { enabled: row.pricesEnabled, own: row.ownPrices } : DEFAULT_PRICES;
  const options = JSON.stringify([redaction, prices]);
  const last = await before?.catch(() => undefined);
  if (last?.options === options) return last;
  return { scanner: scannerFor(secret, organizationId, redaction), prices: pricesFor(prices), options };
}

const optionsOf = (row: Row): RedactionOptions => ({
  enabled: row.redactionEnabled,
  entropy: row.redactionEntropy,
  personalData: row.redactionPersonalData,
  patterns: row.redactionPatterns,
});

import { compiled, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { createCache, weakMemoize } from "../cache.ts";
import { DEFAULT_OPTIONS, type RedactionOptions, type Redactor, redactorFor } from "../redaction/index.ts";
import type { Runtime } from "../runtime.ts";

/** The life of an entry, in ms: so long a server may go by switches that have been changed. */
const FRESH_MS = 1_000;
/** Measured: a redactor takes so much, and each character of its patterns that much more. */
const [REDACTOR_BYTES, CHARACTER_BYTES] = [1_000, 150];

interface Known {
  redactor: Redactor;
  /** The switches that it goes by, as JSON text. */
  options: string;
}

interface Entry {
  known: Promise<Known>;
  bytes: number;
}

const cacheOf = weakMemoize((_: Database) =>
  createCache<Entry>({ name: "redactors", sizeOf: ({ bytes }) => bytes, ttl: FRESH_MS }),
);

/**
 * The redactor of an organization, by its switches as they were a moment ago at most. One query a second serves all of
 * its requests, and a change counts on every server after that second.
 */
export async function redactorOf(
  { db, secret }: Pick<Runtime, "db" | "secret">,
  organizationId: string,
): Promise<Redactor> {
  const cache = cacheOf(db);
  const fresh = cache.get(organizationId, { noDeleteOnStaleGet: true });
  if (fresh) return (await fresh.known).redactor;
  const before = cache.peek(organizationId, { allowStale: true });
  const begun = performance.now();
  const entry: Entry = { known: read(db, organizationId, secret, before?.known), bytes: REDACTOR_BYTES };
  cache.set(organizationId, entry);
  try {
    const { redactor, options } = await entry.known;
    const bytes = REDACTOR_BYTES + CHARACTER_BYTES * options.length;
    cache.set(organizationId, { known: entry.known, bytes }, { start: begun });
    return redactor;
  } catch (error) {
    if (cache.peek(organizationId) === entry) cache.delete(organizationId);
    throw error;
  }
}

const optionsById = compiled("redaction-options", ["id"], (by) =>
  knex("organization")
    .where(by)
    .select("redactionEnabled", "redactionEntropy", "redactionPersonalData", "redactionPatterns"),
);

interface Row {
  redactionEnabled: boolean;
  redactionEntropy: boolean;
  redactionPersonalData: boolean;
  redactionPatterns: RedactionOptions["patterns"];
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
  const switches = row ? optionsOf(row) : DEFAULT_OPTIONS;
  const options = JSON.stringify(switches);
  const last = await before?.catch(() => undefined);
  return last?.options === options ? last : { redactor: redactorFor(secret, organizationId, switches), options };
}

const optionsOf = (row: Row): RedactionOptions => ({
  enabled: row.redactionEnabled,
  entropy: row.redactionEntropy,
  personalData: row.redactionPersonalData,
  patterns: row.redactionPatterns,
});

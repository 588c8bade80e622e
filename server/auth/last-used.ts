import type { Database } from "../../db/open.ts";
import { weakMemoize } from "../cache.ts";
import type { Runtime } from "../runtime.ts";

type KeyTable = "apiKey" | "ingestKey";

/** Interval in ms at which the recorded uses of keys are written to the database. */
const FLUSH_MS = 5_000;
/**
 * Maximum number of distinct keys per table whose uses are recorded between two writes. At the maximum, no further use
 * is recorded, so that memory stays limited.
 */
const MAX_NOTED = 10_000;

interface Notes {
  uses: Record<KeyTable, Map<string, number>>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Records that a key was just used. Uses are written to the database in batches, so calling the function on every
 * request is cheap.
 */
export function recordKeyUse({ db, log }: Runtime, table: KeyTable, hash: Buffer): void {
  const notes = notesOf(db);
  if (notes.uses[table].size < MAX_NOTED) notes.uses[table].set(hash.toString("hex"), Date.now());
  notes.timer ??= setTimeout(() => {
    flushLastUsed(db).catch((error) =>
      log.warn({ err: error }, "last-used times of keys were not written; the server will retry"),
    );
  }, FLUSH_MS).unref();
}

/**
 * Writes the recorded uses of keys to the database. Called by the timer, and at shutdown before the database closes.
 */
export async function flushLastUsed(db: Database): Promise<void> {
  const notes = notesOf(db);
  clearTimeout(notes.timer);
  notes.timer = undefined;
  for (const table of ["apiKey", "ingestKey"] as const) {
    const uses = [...notes.uses[table]].sort(([a], [b]) => (a < b ? -1 : 1));
    notes.uses[table].clear();
    if (uses.length === 0) continue;
    try {
      await write(db, table, uses);
    } catch (error) {
      for (const [hash, at] of uses) if (!notes.uses[table].has(hash)) notes.uses[table].set(hash, at);
      throw error;
    }
  }
}

/** Raw SQL: updates all keys with one statement, from two lists. */
const write = (db: Database, table: KeyTable, uses: [string, number][]) =>
  db.query({
    text: `update "${table}" k set "lastUsedAt" = v.at
             from (select decode(h, 'hex') as hash, to_timestamp(ms / 1000.0) as at
                     from unnest($1::text[], $2::float8[]) as n(h, ms)) v
            where k.hash = v.hash and (k."lastUsedAt" is null or k."lastUsedAt" < v.at)`,
    values: [uses.map(([hash]) => hash), uses.map(([, at]) => at)],
  });

const notesOf = weakMemoize(
  (_: Database): Notes => ({ uses: { apiKey: new Map(), ingestKey: new Map() }, timer: undefined }),
);

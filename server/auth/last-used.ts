import type { Database } from "../../db/open.ts";
import { weakMemoize } from "../cache.ts";
import type { Runtime } from "../runtime.ts";

type KeyTable = "apiKey" | "ingestKey";

/** The interval at which noted uses are written, in ms. */
const FLUSH_MS = 5_000;
/** Distinct keys held between two flushes; beyond it a use goes unnoted rather than memory growing. */
const MAX_NOTED = 10_000;

interface Notes {
  uses: Record<KeyTable, Map<string, number>>;
  timer: NodeJS.Timeout | undefined;
}

/** Remembers that a key was used just now; written in batches. Cheap: call it on every request. */
export function noteUse({ db, log }: Runtime, table: KeyTable, hash: Buffer): void {
  const notes = notesOf(db);
  if (notes.uses[table].size < MAX_NOTED) notes.uses[table].set(hash.toString("hex"), Date.now());
  notes.timer ??= setTimeout(() => {
    flushLastUsed(db).catch((error) =>
      log.warn({ err: error }, "last-used times not written; they are kept for later"),
    );
  }, FLUSH_MS).unref();
}

/** Writes the noted uses. Called by the timer, and once at shutdown before the database closes. */
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

/** Raw SQL: all keys in one update, from two lists. */
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

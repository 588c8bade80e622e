import type { Database } from "../../../db/open.ts";
import { createCache, textBytes, weakMemoize } from "../../cache.ts";
import type { Found } from "../rows.ts";
import { keyOf, type Write } from "../write.ts";

/**
 * The cached rows of an organization's small tables, as one transaction sees them. They are right as of the change
 * `version` of its log. Whoever relies on them has the database check, in the transaction itself, that this is still
 * the last change: a right cache saves a query, and a wrong one costs a second try but never a wrong answer.
 */
export interface RowCache {
  /** Undefined when nothing is cached, or other processes write so often that relying on it does not pay. */
  readonly version: number | undefined;
  get(key: string): Found | undefined;
  /** Other facts of the organization. Those that the transaction learns are kept once it has committed. */
  readonly known: Known;
  /** Takes what a mutation read of small tables; when it changed any, nothing cached before holds any more. */
  put(write: Write): void;
  /** Keeps what was put, once the transaction has committed the changes after `before` up to `last`. */
  commit(before: number, last: number): void;
  /** Drops every row: the database said that `version` is not the last change. */
  invalidate(): void;
}

/** The cache of one organization. */
interface Entry {
  version: number;
  known: Known;
  rows: Map<string, Found>;
  bytes: number;
  /** For how many more transactions it is not relied on, and how many that was last time. */
  pause: number;
  lastPause: number;
}

const MAX_ROWS = 500;
/** Each time another process turns out to have written, the cache stays unused for twice as many transactions. */
const LONGEST_PAUSE = 64;

/** Opens the row cache of an organization for one transaction. */
export function openRowCache(db: Database, organizationId: string): RowCache {
  const all = entriesOf(db);
  const entry = all.get(organizationId);
  const used = entry?.pause === 0 ? entry : undefined;
  const fresh = nothingFresh();
  const cache: RowCache = {
    version: used?.version,
    known: used ? copyOf(used.known) : nothingKnown(),
    get: (key) => fresh.rows.get(key) ?? (fresh.changed ? undefined : used?.rows.get(key)),
    put: (write) => addFresh(fresh, write),
    commit(before, last) {
      const kept = all.get(organizationId) ?? newEntry(before);
      update(kept, fresh, before, last);
      kept.known = cache.known;
      if (used) kept.lastPause = 0;
      else if (kept.pause > 0) kept.pause -= 1;
      // Deleted first, since the cache counts the bytes of a value only when it is new.
      all.delete(organizationId);
      all.set(organizationId, kept);
    },
    invalidate() {
      if (!used) return;
      clear(used);
      used.lastPause = Math.min(LONGEST_PAUSE, used.lastPause * 2 + 1);
      used.pause = used.lastPause;
    },
  };
  return cache;
}

const entriesOf = weakMemoize((_: Database) =>
  createCache<Entry>({ name: "rows", sizeOf: ({ bytes, known }) => 500 + bytes + known.actorBytes }),
);

const newEntry = (version: number): Entry => ({
  version,
  known: nothingKnown(),
  rows: new Map(),
  bytes: 0,
  pause: 0,
  lastPause: 0,
});

function update(entry: Entry, { rows, changed }: Fresh, before: number, last: number): void {
  if (changed || entry.version !== before || entry.rows.size > MAX_ROWS) clear(entry);
  if (!changed) for (const [key, row] of rows) addRow(entry, key, row);
  entry.version = last;
}

function clear(entry: Entry): void {
  entry.rows.clear();
  entry.known = nothingKnown();
  entry.bytes = 0;
}

function addRow(entry: Entry, key: string, row: Found): void {
  if (!entry.rows.has(key)) entry.bytes += bytesOf(key, row);
  entry.rows.set(key, row);
}

/** Measured: a row takes 1.3 bytes a character of its JSON; one more for texts that V8 keeps in two bytes each. */
const bytesOf = (key: string, row: Found): number => textBytes(key) + 3 * JSON.stringify(row).length;

/** Rows of small tables that the mutations of one transaction read, and whether they changed any. */
interface Fresh {
  rows: Map<string, Found>;
  changed: boolean;
}

/** Nothing yet. */
const nothingFresh = (): Fresh => ({ rows: new Map(), changed: false });

/** Adds what a mutation read, or that it changed one of those tables. */
function addFresh(fresh: Fresh, write: Write): void {
  if (write.entries.some(({ entity }) => entity.tuning?.few === "cached")) {
    fresh.changed = true;
    fresh.rows.clear();
    return;
  }
  for (const [key, row] of write.rows) {
    const name = key.slice(0, key.indexOf(" "));
    if (row && write.model.get(name)?.tuning?.few === "cached" && key === keyOf(name, row.id)) fresh.rows.set(key, row);
  }
}

/** Facts of an organization that a transaction has from those before it, beside rows of small tables. */
export interface Known {
  /** A change of it is in no log, so that it has to be checked by itself. */
  urlKey: string | undefined;
  /** True if a webhook is enabled. That there is none has to be checked by itself, for the same reason. */
  hooked: boolean | undefined;
  /** The authors of changes, by id, as JSON: as of the last change, since those of users are in the log. */
  actors: Map<string, string>;
  /** The bytes that those take. */
  actorBytes: number;
}

/** Most that are remembered of an organization. */
const MAX_ACTORS = 100;

/** Nothing yet. */
const nothingKnown = (): Known => ({ urlKey: undefined, hooked: undefined, actors: new Map(), actorBytes: 0 });

/** The same, for a transaction that may yet fail. */
const copyOf = (known: Known): Known => ({ ...known, actors: new Map(known.actors) });

/** Remembers who makes changes. */
export function noteActor(known: Known, id: string, actor: string): void {
  if (known.actors.size >= MAX_ACTORS) forgetActors(known);
  known.actors.set(id, actor);
  known.actorBytes += textBytes(id) + textBytes(actor);
}

/** Call when users may have changed. */
export function forgetActors(known: Known): void {
  known.actors.clear();
  known.actorBytes = 0;
}

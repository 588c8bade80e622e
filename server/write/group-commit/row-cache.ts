import type { Database } from "../../../db/open.ts";
import { createCache, measureTextBytes, weakMemoize } from "../../cache.ts";
import type { LoadedRow } from "../rows.ts";
import { buildRowKey, type WriteContext } from "../write.ts";

/**
 * Cached rows of an organization's small tables, as one transaction sees them. The cached rows are current as of the
 * change number `version`. A transaction that uses the cache makes the database check that `version` is still the
 * last change. A current cache saves a query; an outdated cache costs a second attempt but never gives a wrong
 * result.
 */
export interface RowCache {
  /**
   * Number of the change up to which the rows are current. Undefined if nothing is cached, or if other processes
   * write too often for the cache to be useful.
   */
  readonly version: number | undefined;
  get(key: string): LoadedRow | undefined;
  /** Other facts about the organization. Facts that the transaction learns are kept after its commit. */
  readonly known: OrganizationFacts;
  /**
   * Adds the small-table rows that a mutation read. If the mutation changed a small table, all earlier cached rows
   * become invalid.
   */
  put(write: WriteContext): void;
  /**
   * Keeps the added rows for later transactions. Call after the commit of the changes with numbers above `before`, up
   * to `last`.
   */
  commit(before: number, last: number): void;
  /** Discards all rows after the database reported that `version` is not the last change. */
  invalidate(): void;
}

interface Entry {
  version: number;
  known: OrganizationFacts;
  rows: Map<string, LoadedRow>;
  bytes: number;
  /** Number of further transactions that skip the cache, and the length of the previous pause. */
  pause: number;
  lastPause: number;
}

const MAX_ROWS = 500;
/** Maximum pause, in transactions. Each write of another process doubles the pause. */
const LONGEST_PAUSE = 64;

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
      // The cache counts the bytes of a value only for a new key, so the old entry is deleted first.
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

function addRow(entry: Entry, key: string, row: LoadedRow): void {
  if (!entry.rows.has(key)) entry.bytes += bytesOf(key, row);
  entry.rows.set(key, row);
}

/**
 * Estimates the memory of a row. Measured: 1.3 bytes per character of its JSON, and one more byte for strings that V8
 * stores with two bytes per character.
 */
const bytesOf = (key: string, row: LoadedRow): number => measureTextBytes(key) + 3 * JSON.stringify(row).length;

/** Small-table rows that the mutations of one transaction read, and whether a mutation changed a small table. */
interface Fresh {
  rows: Map<string, LoadedRow>;
  changed: boolean;
}

const nothingFresh = (): Fresh => ({ rows: new Map(), changed: false });

/** Adds the small-table rows that a mutation read, or records that the mutation changed a small table. */
function addFresh(fresh: Fresh, write: WriteContext): void {
  if (write.entries.some(({ entity }) => entity.tuning?.few === "cached")) {
    fresh.changed = true;
    fresh.rows.clear();
    return;
  }
  for (const [key, row] of write.rows) {
    const name = key.slice(0, key.indexOf(" "));
    if (row && write.model.get(name)?.tuning?.few === "cached" && key === buildRowKey(name, row.id))
      fresh.rows.set(key, row);
  }
}

/** Facts about an organization, beside small-table rows, that a transaction takes from earlier transactions. */
export interface OrganizationFacts {
  /** The log contains no changes of `urlKey`, so each transaction must check the value separately. */
  urlKey: string | undefined;
  /**
   * True if a webhook is enabled. The log contains no webhook changes, so a transaction must check a false value
   * separately.
   */
  hooked: boolean | undefined;
  /**
   * Authors of changes as JSON, by id. Current as of the last change, because the log contains all changes of users.
   */
  actors: Map<string, string>;
  actorBytes: number;
}

/** Maximum number of remembered authors per organization. */
const MAX_ACTORS = 100;

const nothingKnown = (): OrganizationFacts => ({
  urlKey: undefined,
  hooked: undefined,
  actors: new Map(),
  actorBytes: 0,
});

/** Copies the facts for a transaction that may still fail. */
const copyOf = (known: OrganizationFacts): OrganizationFacts => ({ ...known, actors: new Map(known.actors) });

/** Remembers the author of a change. */
export function cacheActor(known: OrganizationFacts, id: string, actor: string): void {
  if (known.actors.size >= MAX_ACTORS) clearCachedActors(known);
  known.actors.set(id, actor);
  known.actorBytes += measureTextBytes(id) + measureTextBytes(actor);
}

/** Discards the remembered authors. Call when users may have changed. */
export function clearCachedActors(known: OrganizationFacts): void {
  known.actors.clear();
  known.actorBytes = 0;
}

import type { LRUCache } from "lru-cache";
import type { Database } from "../../../db/open.ts";
import { createCache, textBytes } from "../../cache.ts";
import type { Found } from "../rows.ts";

/**
 * Rows of an organization's small tables as they were after a change of its log. Whoever acts on them has the
 * database check, in the transaction itself, that this was still the last change; so they spare a question and its
 * answer, and nothing depends on them being right.
 */
export interface Memory {
  /** Number of that change. */
  version: number;
  rows: Map<string, Found>;
  /** What the rows take. */
  bytes: number;
  /** For how many more transactions they are not acted on, and how many that was last time. */
  pause: number;
  lastPause: number;
}

const MAX_ROWS = 500;
/** Other processes write too: the longer they do, the rarer the try. */
const LONGEST_PAUSE = 64;

/** Measured: a row takes 1.3 bytes a character of its JSON; one more for texts that V8 keeps in two bytes each. */
const bytesOf = (key: string, row: Found): number => textBytes(key) + 3 * JSON.stringify(row).length;

const memories = new WeakMap<Database, LRUCache<string, Memory>>();

function memoriesOf(db: Database): LRUCache<string, Memory> {
  const known = memories.get(db) ?? createCache<Memory>({ name: "rows", sizeOf: ({ bytes }) => 500 + bytes });
  memories.set(db, known);
  return known;
}

/** What is known of an organization, if it is worth acting on. */
export function memoryOf(db: Database, organizationId: string): Memory | undefined {
  const memory = memoriesOf(db).get(organizationId);
  return memory && memory.pause === 0 ? memory : undefined;
}

/** Notes that a memory was out of date. */
export function distrust(memory: Memory): void {
  forget(memory);
  memory.lastPause = Math.min(LONGEST_PAUSE, memory.lastPause * 2 + 1);
  memory.pause = memory.lastPause;
}

function forget(memory: Memory): void {
  memory.rows.clear();
  memory.bytes = 0;
}

/** What a committed transaction leaves behind: rows as they are after change `last`, which followed change `before`. */
export interface Learned {
  before: number;
  last: number;
  rows: ReadonlyMap<string, Found>;
  /** Whether small tables changed, so that nothing known of them before holds. */
  changed: boolean;
  /** Whether it acted on what was known, and that was right. */
  trusted: boolean;
}

/** Remembers what a transaction learned, once it is committed. */
export function learn(db: Database, organizationId: string, { before, last, rows, changed, trusted }: Learned): void {
  const all = memoriesOf(db);
  const memory = all.get(organizationId) ?? { version: before, rows: new Map(), bytes: 0, pause: 0, lastPause: 0 };
  if (changed || memory.version !== before || memory.rows.size > MAX_ROWS) forget(memory);
  if (!changed) for (const [key, row] of rows) addRow(memory, key, row);
  memory.version = last;
  if (trusted) memory.lastPause = 0;
  else if (memory.pause > 0) memory.pause -= 1;
  // Put in anew, since the cache counts the bytes of a value when it comes.
  all.delete(organizationId);
  all.set(organizationId, memory);
}

function addRow(memory: Memory, key: string, row: Found): void {
  if (!memory.rows.has(key)) memory.bytes += bytesOf(key, row);
  memory.rows.set(key, row);
}

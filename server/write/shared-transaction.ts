import { compiled, knex } from "../../db/builder.ts";
import type { Database, Transaction } from "../../db/open.ts";
import { notFound } from "../errors.ts";
import { distrust, type Learned, type Memory, memoryOf } from "./row-cache.ts";
import type { Found } from "./rows.ts";
import { keyOf, type Write } from "./write.ts";

/** A transaction of an organization, which one change or several in a row make use of. */
export interface Turn {
  organizationId: string;
  memory: Memory | undefined;
  /** The first number it may take, once the organization's row, locked, says it. Rejects when the memory was wrong. */
  raised: Promise<number>;
  /** The last number taken so far; undefined until it is known. */
  last: number | undefined;
  /** Rows of small tables as it leaves them. */
  rows: Map<string, Found>;
  /** Whether it changed small tables. */
  changed: boolean;
}

/**
 * Begins a turn: raises the organization's counter by the one change most turns make, and holds its other writers
 * back. With a memory, PostgreSQL fails the statement when the memory is not of the last change.
 */
export function beginTurn(trx: Transaction, db: Database, organizationId: string): Turn {
  const memory = memoryOf(db, organizationId);
  const raised = raise(trx, organizationId, memory);
  raised.catch((error) => {
    if (memory && isStale(error)) distrust(memory);
  });
  return { organizationId, memory, raised, last: memory?.version, rows: new Map(), changed: false };
}

async function raise(trx: Transaction, organizationId: string, memory: Memory | undefined): Promise<number> {
  const [sync] = await trx.query<{ lastSyncId: number }>(
    memory ? raiseFrom({ organizationId, version: memory.version }) : raiseByOne({ organizationId }),
  );
  if (!sync) throw notFound("organization", organizationId);
  return sync.lastSyncId;
}

const raiseByOne = compiled("raise-sync", ["organizationId"], (by) =>
  knex("sync")
    .where(by)
    .update({ lastSyncId: knex.raw(`"lastSyncId" + 1`) }, "lastSyncId"),
);

const raiseFrom = compiled("raise-sync-from", ["organizationId", "version"], ({ organizationId, version }) =>
  knex("sync")
    .where({ organizationId })
    .update({ lastSyncId: knex.raw(`"lastSyncId" + 1 / ("lastSyncId" = ?)::integer`, [version]) }, "lastSyncId"),
);

const setLast = compiled("set-sync", ["organizationId", "last"], ({ organizationId, last }) =>
  knex("sync").where({ organizationId }).update({ lastSyncId: last }),
);

/** Whether a turn failed because its memory was out of date: PostgreSQL divided by zero. */
export const isStale = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "22012";

/** The number before the next change of a turn. */
export async function lastOf(turn: Turn): Promise<number> {
  turn.last ??= (await turn.raised) - 1;
  return turn.last;
}

/** Ends a turn that wrote: the organization's row says the last number taken, in case that is not one more. */
export async function endTurn(trx: Transaction, turn: Turn): Promise<Learned> {
  const first = turn.memory ? turn.memory.version + 1 : await turn.raised;
  const last = await lastOf(turn);
  if (last !== first) void trx.query(setLast({ organizationId: turn.organizationId, last }));
  const { rows, changed, memory } = turn;
  return { before: first - 1, last, rows, changed, trusted: memory !== undefined };
}

/** A row of a small table as this turn knows it. */
export const recalled = ({ rows, changed, memory }: Turn, key: string): Found | undefined =>
  rows.get(key) ?? (changed ? undefined : memory?.rows.get(key));

/** Notes what a change that succeeded read and wrote of small tables. */
export function note(turn: Turn, write: Write): void {
  if (write.entries.some(({ entity }) => entity.small)) {
    turn.changed = true;
    turn.rows.clear();
    return;
  }
  for (const [key, row] of write.rows) {
    const name = key.slice(0, key.indexOf(" "));
    if (row && write.model.get(name)?.small && key === keyOf(name, row.id)) turn.rows.set(key, row);
  }
}

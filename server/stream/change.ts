import { definePreparedStatement, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";

/** One entry of the change log. `data` and `updatedFrom` are rows as published to clients. */
export interface ChangeLogEntry {
  lastSyncId: number;
  type: string;
  action: "create" | "update" | "remove";
  /** The event name, such as `issue.created`. */
  event: string;
  data: Record<string, unknown>;
  /** Previous values of the changed fields; null unless `action` is `update`. */
  updatedFrom: Record<string, unknown> | null;
  actor: Record<string, unknown>;
  createdAt: Date;
}

/** The first and last number of an organization's log. `last` is 0 before the first change. */
export interface ChangeLogExtent {
  oldest: number;
  last: number;
}

const MAX_ROWS = 500;
/** Maximum bytes of a range. A range always contains at least one row. */
const MAX_BYTES = 512 * 1024;

/**
 * Reads the next changes of an organization after `position`, in order and without gaps: at most 500 changes and about
 * 512 KiB. `more` is true when a limit ended the range. The writer assigns numbers under a lock that is held until the
 * commit, so no smaller number can appear later. Raw SQL: a window function adds up the bytes.
 */
export async function readNextChanges(
  db: Database,
  organizationId: string,
  position: number,
): Promise<{ changes: ChangeLogEntry[]; more: boolean }> {
  const changes = await db.query<ChangeLogEntry & { before: number; size: number }>({
    name: "stream-range",
    text: `select "lastSyncId", type, action, event, data, "updatedFrom", actor, "createdAt", size, before
             from (select *, (sum(size) over (order by "lastSyncId") - size)::float8 as before
                     from (select *, octet_length(data::text) + coalesce(octet_length("updatedFrom"::text), 0) as size
                             from change where "organizationId" = $1 and "lastSyncId" > $2
                            order by "lastSyncId" limit ${MAX_ROWS}) c) c
            where before < ${MAX_BYTES} order by "lastSyncId"`,
    values: [organizationId, position],
  });
  const last = changes.at(-1);
  return { changes, more: changes.length === MAX_ROWS || (last ? last.before + last.size >= MAX_BYTES : false) };
}

/** Reads the first and last number of an organization's log; undefined for an unknown organization. */
export async function readChangeLogExtent(db: Database, organizationId: string): Promise<ChangeLogExtent | undefined> {
  const [extent] = await db.query<ChangeLogExtent>(extentOf({ organizationId }));
  return extent;
}

const extentOf = definePreparedStatement("stream-extent", ["organizationId"], (by) =>
  knex("sync").where(by).select({ oldest: "oldestSyncId", last: "lastSyncId" }),
);

export async function readLastSyncIds(db: Database, organizationIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; last: number }>(lastOf({ organizationIds }));
  return new Map(rows.map(({ id, last }) => [id, last]));
}

const lastOf = definePreparedStatement("stream-last", ["organizationIds"], ({ organizationIds }) =>
  knex("sync")
    .whereRaw(`"organizationId" = any(?::uuid[])`, [organizationIds])
    .select({ id: "organizationId", last: "lastSyncId" }),
);

/** True when the log still contains every change after `position`. */
export const hasAllChangesAfter = ({ oldest, last }: ChangeLogExtent, position: number): boolean =>
  position >= oldest - 1 && position <= last;

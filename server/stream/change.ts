import { compiled, knex } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";

/** One entry of the change log. `data` and `updatedFrom` are rows as published. */
export interface Change {
  lastSyncId: number;
  type: string;
  action: "create" | "update" | "remove";
  /** The domain event, e.g. `issue.created`. */
  event: string;
  data: Record<string, unknown>;
  /** Previous values of the changed fields; null unless `action` is `update`. */
  updatedFrom: Record<string, unknown> | null;
  actor: Record<string, unknown>;
  createdAt: Date;
}

/** The first and the last number of an organization's log. `last` is 0 before the first change. */
export interface Extent {
  oldest: number;
  last: number;
}

const MAX_ROWS = 500;
/** Bytes of rows after which a range ends, though it never ends before its first row. */
const MAX_BYTES = 512 * 1024;

/**
 * The next changes of an organization after `position`, in order and without a gap: at most 500, about 512 KiB;
 * `more` when the range ended there. Numbers are given out under a lock that is held until the commit, so what is
 * visible here has no holes to be filled later. Raw SQL, for its window over the bytes.
 */
export async function readRange(
  db: Database,
  organizationId: string,
  position: number,
): Promise<{ changes: Change[]; more: boolean }> {
  const changes = await db.query<Change & { before: number; size: number }>({
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

/** Reads the first and the last number of an organization's log; undefined for an organization that does not exist. */
export async function readExtent(db: Database, organizationId: string): Promise<Extent | undefined> {
  const [extent] = await db.query<Extent>(extentOf({ organizationId }));
  return extent;
}

const extentOf = compiled("stream-extent", ["organizationId"], (by) =>
  knex("sync").where(by).select({ oldest: "oldestSyncId", last: "lastSyncId" }),
);

/** The last number of each of these organizations. */
export async function readLast(db: Database, organizationIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; last: number }>(lastOf({ organizationIds }));
  return new Map(rows.map(({ id, last }) => [id, last]));
}

const lastOf = compiled("stream-last", ["organizationIds"], ({ organizationIds }) =>
  knex("sync")
    .whereRaw(`"organizationId" = any(?::uuid[])`, [organizationIds])
    .select({ id: "organizationId", last: "lastSyncId" }),
);

/** True when a follower at `position` can go on without missing anything. */
export const continues = ({ oldest, last }: Extent, position: number): boolean =>
  position >= oldest - 1 && position <= last;

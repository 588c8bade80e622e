import { runSteps } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { eachOrganization } from "../organizations.ts";

/**
 * Maximum parts (turns, traces, calls) per organization that keep their observations. Beyond the maximum, the job
 * removes the observations of the parts that received nothing for the longest time.
 */
const MOST = 500_000;
const SLICE = 500;

/**
 * Raw SQL; docs/database.md explains why. Removes the observations of parts (a turn, a trace, a call) that received
 * nothing for some days. The events of the removed observations stay and no longer change. Works in slices, and is safe
 * in any number of concurrent processes. Returns the number of removed parts.
 */
export async function removeOldObservations(
  db: Database,
  days: number,
  { now = Date.now(), most = MOST } = {},
): Promise<number> {
  const before = new Date(days > 0 ? now - days * DAY_MS : 0);
  const forget = async (id: string) => {
    const text = "delete from recorded_service where organization_id = $1 and last_seen_at < $2";
    await db.query({ text, values: [id, before] });
    return 0;
  };
  return runSteps(
    () => eachOrganization(db, { table: "recorded_service" }, forget),
    () => eachOrganization(db, { table: "recorded_part" }, (id) => removeFrom(db, id, { before, most })),
  );
}

interface Bounds {
  before: Date;
  most: number;
}

async function removeFrom(db: Database, organizationId: string, { before, most }: Bounds): Promise<number> {
  let removed = 0;
  for (;;) {
    const found: { part: string; received_at: Date }[] = await db.query({
      text: `select part, received_at from recorded_part where organization_id = $1 and received_at < greatest($2,
          (select received_at from recorded_part where organization_id = $1 order by received_at desc offset $3 limit 1))
        order by received_at limit ${SLICE}`,
      values: [organizationId, before, most],
    });
    if (found.length === 0) return removed;
    const parts = found.map(({ part }) => part);
    // A part may have received new observations since the query. The time limit `until` keeps the new observations from
    // being deleted.
    const until = found.at(-1)?.received_at;
    await db.transaction(async (trx) => {
      for (const table of ["recorded_part", "recorded_observation"]) {
        await trx.query({
          text: `delete from ${table} where organization_id = $1 and part = any($2) and received_at <= $3`,
          values: [organizationId, parts, until],
        });
      }
    });
    removed += parts.length;
  }
}

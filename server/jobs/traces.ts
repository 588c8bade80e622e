import type { Database } from "../../db/open.ts";
import { eachOrganization } from "./organizations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A trace of which nothing came for so long gets no more spans: exporters give up within minutes. */
const KEPT_MS = 2 * DAY_MS;
/** The most traces of an organization; beyond, those that were longest without a report are forgotten. */
const MOST = 100_000;
const SLICE = 500;

/**
 * Raw SQL, as docs/database.md says why. Forgets how traces hang together once nothing more comes of them; the events stay where they are. In slices, and safe
 * on any number of processes. Answers how many traces it forgot.
 */
export async function removeOldTraces(db: Database, now = Date.now(), most = MOST): Promise<number> {
  const before = new Date(now - KEPT_MS);
  return eachOrganization(db, { table: "recorded_trace" }, (id) => removeFrom(db, id, { before, most }));
}

interface Bounds {
  before: Date;
  most: number;
}

async function removeFrom(db: Database, organizationId: string, { before, most }: Bounds): Promise<number> {
  let removed = 0;
  for (;;) {
    const found: { id: string }[] = await db.query({
      text: `select trace_id as id from recorded_trace where organization_id = $1 and received_at < greatest($2,
          (select received_at from recorded_trace where organization_id = $1 order by received_at desc offset $3 limit 1))
        order by received_at limit ${SLICE}`,
      values: [organizationId, before, most],
    });
    if (found.length === 0) return removed;
    const ids = found.map(({ id }) => id);
    // The trace goes first, under its lock: what comes later makes it anew.
    await db.transaction(async (trx) => {
      for (const table of ["recorded_trace", "recorded_span"]) {
        await trx.query({
          text: `delete from ${table} where organization_id = $1 and trace_id = any($2)`,
          values: [organizationId, ids],
        });
      }
    });
    removed += ids.length;
  }
}

import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import type { Queryable } from "../../accounts/audit.ts";
import { NO_ID } from "../../id.ts";

/** Number of days whose costs are computed again after a change of prices. */
const DAYS = 90;

/** Name under which the job that computes costs again stores its position. */
export const COSTS_JOB = "costs";

/** Makes a job compute costs again, beginning 90 days ago. If the job is already running, the job starts over. */
export async function requestCostRecount(db: Queryable, organizationId: string, now: string): Promise<void> {
  const place = { at: new Date(Date.parse(now) - DAYS * DAY_MS).toISOString(), id: NO_ID };
  const row = { organization_id: organizationId, positions: JSON.stringify({ [COSTS_JOB]: place }) };
  const merged = { positions: knex.raw("r.positions || excluded.positions") };
  await db.query(toStatement(knex("recorded_rollup as r").insert(row).onConflict("organization_id").merge(merged)));
}

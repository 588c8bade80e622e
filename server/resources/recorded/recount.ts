import { knex, toStatement } from "../../../db/builder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import type { Queryable } from "../../accounts/audit.ts";
import { NO_ID } from "../../id.ts";

/** Costs of so many days are computed anew after prices changed. */
const DAYS = 90;

/** The name of the walk that computes costs anew, among the positions of walks of upkeep. */
export const COSTS = "costs";

/** Has a job compute costs anew, from the first of the last 90 days on, also where it was under way. */
export async function askForCosts(db: Queryable, organizationId: string, now: string): Promise<void> {
  const place = { at: new Date(Date.parse(now) - DAYS * DAY_MS).toISOString(), id: NO_ID };
  const row = { organization_id: organizationId, positions: JSON.stringify({ [COSTS]: place }) };
  const merged = { positions: knex.raw("r.positions || excluded.positions") };
  await db.query(toStatement(knex("recorded_rollup as r").insert(row).onConflict("organization_id").merge(merged)));
}

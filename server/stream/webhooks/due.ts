import type { Database } from "../../../db/open.ts";
import { type Due, dueOrganizations } from "../../accounts/due.ts";

/** The most organizations that one query finds. */
const ORGANIZATIONS = 100;

/** Organizations with something due, in another order each time, so that none is always last. Raw SQL, as that of the claim. */
const DUE = `
  select "organizationId" as id from sync s where exists (
    select from delivery d where d."organizationId" = s."organizationId" and d.status = 'pending' and d."nextAttemptAt" <= $1)
   order by random() limit ${ORGANIZATIONS}`;

/** One organization, if something is due in it: a statement of one table and one organization, whose plan is kept. */
const DUE_IN = `
  select "organizationId" as id from delivery
   where "organizationId" = $1 and status = 'pending' and "nextAttemptAt" <= $2 limit 1`;

/** Finds organizations in which something is due, among some or all. A query over all of them asks every node. */
export async function findDue(db: Database, some: readonly string[] | undefined, now: Date): Promise<Due> {
  if (!some) return dueOrganizations(db, { name: "stream-due", text: DUE, values: [now] }, ORGANIZATIONS);
  const ids: string[] = [];
  for (const id of some) {
    const due = await db.query({ name: "stream-due-in", text: DUE_IN, values: [id, now] });
    if (due.length > 0) ids.push(id);
  }
  return { ids, found: true, within: (work) => work() };
}

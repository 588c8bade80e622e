import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { dueOrganizations } from "../accounts/due.ts";
import { model } from "../resources/index.ts";
import { endLeases, keyless } from "../resources/lease/expire.ts";
import type { Runtime } from "../runtime.ts";
import { mutate } from "../write/mutate.ts";
import { systemScope } from "./system-scope.ts";

/** How often leases are looked at: one that is over is to be free within five seconds. */
const REST_MS = 2_000;
/** Leases that one look takes. */
const SLICE = 200;

/** Looks after leases until the server stops. Safe on any number of processes. */
export async function keepLeases(runtime: Runtime): Promise<void> {
  const { db, log, stopping } = runtime;
  while (!stopping.aborted) {
    await sleep(REST_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    await db
      .as("upkeep", () => lookAfterLeases(runtime))
      .catch((error) => log.warn({ err: error }, "leases not looked after; tried again shortly"));
  }
}

/** A lease that nothing renewed. */
interface Due {
  id: string;
  over: boolean;
}

/**
 * Renews the leases whose sessions recorded something since, and ends those that are over. A lease is looked at once half
 * of it is left, then every twentieth of it, and when it ends; never by the ingestion that records.
 */
export async function lookAfterLeases(runtime: Runtime): Promise<void> {
  for (let organizations = SLICE; organizations === SLICE; ) {
    const { ids, found, within } = await dueOrganizations(runtime.db, toStatement(due), SLICE);
    organizations = found ? ids.length : 0;
    for (const id of ids) await within(() => lookAfter(runtime, id), undefined);
  }
}

async function lookAfter(runtime: Runtime, organizationId: string): Promise<void> {
  for (let size = SLICE; size === SLICE; ) {
    const due = await look(runtime.db, organizationId);
    size = due.length;
    const over = due.filter((lease) => lease.over).map(({ id }) => id);
    if (over.length > 0) await end(runtime, organizationId, over);
  }
}

/** Ends leases of an organization; when that fails, those of the others are still ended. */
async function end(runtime: Runtime, organizationId: string, ids: readonly string[]): Promise<void> {
  const scope = systemScope(runtime, organizationId);
  await mutate(scope, model, async (write) => ({ ids: await endLeases(write, ids) })).catch((error) =>
    runtime.log.warn({ err: error, organizationId, ids }, "leases not ended; tried again shortly"),
  );
}

/**
 * Renews what is due for a look and has something recorded since the last renewal; puts the next look off for the rest.
 * What is over is due again a second later, should whoever ends it be killed meanwhile. Raw SQL: updates from lateral joins, on the database's time,
 * which is read before the update: where tables lie on several nodes, an update itself takes no clock. The newest of a
 * session's events by arrival is looked for among all of them, since an agent's clock may be wrong.
 */
const LOOK = `
  with due as (
    select l.id from "issueLease" l where l."organizationId" = $1 and l."checkAt" <= clock_timestamp()
     order by l."checkAt" limit ${SLICE} for update skip locked),
  seen as (
    select l.id, l."ttlSeconds", (
        select max(least(e.received_at, clock_timestamp())) from recorded_session s
          join recorded_event e on e.organization_id = s.organization_id and e.session_id = s.session_id
         where s.organization_id = $1 and e.received_at > l."renewedAt"
           and (s.external_id = l."sessionId" or s.session_id = case
             when l."sessionId" ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
             then l."sessionId"::uuid end)) as heard
      from "issueLease" l join due on l.id = due.id where l."organizationId" = $1),
  kept as (
    select id, heard, coalesce(heard + make_interval(secs => "ttlSeconds"), '-infinity') as until from seen),
  due_next as (
    select l.id, k.heard, greatest(l."expiresAt", k.until) as until, case
        when k.until - make_interval(secs => l."ttlSeconds" / 2.0) > clock_timestamp()
          then k.until - make_interval(secs => l."ttlSeconds" / 2.0)
        when greatest(l."expiresAt", k.until) <= clock_timestamp() then clock_timestamp() + interval '1 second'
        else least(greatest(l."expiresAt", k.until), clock_timestamp() + make_interval(secs => l."ttlSeconds" / 20.0)) end as next,
      (greatest(l."expiresAt", k.until) <= clock_timestamp() or ${keyless}) as over
    from kept k join "issueLease" l on l.id = k.id where l."organizationId" = $1)
  update "issueLease" l set "renewedAt" = greatest(l."renewedAt", n.heard), "expiresAt" = n.until, "checkAt" = n.next
    from due_next n where l."organizationId" = $1 and l.id = n.id
  returning l.id, n.over`;

const look = (db: Database, organizationId: string): Promise<Due[]> =>
  db.query<Due>({ name: "look-after-leases", text: LOOK, values: [organizationId] });

/** Organizations with a lease to look at, on the database's time. */
const due = knex("issueLease").whereRaw('"checkAt" <= clock_timestamp()').distinct("organizationId as id").limit(SLICE);

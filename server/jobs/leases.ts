import { setTimeout as sleep } from "node:timers/promises";
import { knex, toStatement } from "../../db/builder.ts";
import { dueOrganizations } from "../accounts/due.ts";
import { NO_ID } from "../id.ts";
import { model } from "../resources/index.ts";
import { endLeases } from "../resources/lease/expire.ts";
import { compareLimits, LIMITED, tripLease } from "../resources/lease/limits.ts";
import { LEASES_OF_A_LOOK, lookAtLeases } from "../resources/lease/look.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";

/** The interval of checks of leases: an issue is to be free within five seconds after the end. */
const REST_MS = 2_000;
/** The most organizations that one query finds. */
const SLICE = 200;

/** Looks after leases until the server stops. Safe on any number of processes. */
export async function keepLeases(runtime: Runtime): Promise<void> {
  const { db, log, stopping } = runtime;
  while (!stopping.aborted) {
    await sleep(REST_MS, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    for (const pass of [lookAfterLeases, stopAtLimits])
      await db
        .as("upkeep", () => pass(runtime))
        .catch((error) => log.warn({ err: error }, "leases not checked; tried again shortly"));
  }
}

/**
 * Renews the leases whose sessions recorded something since, and ends those that are over. A lease that
 * names a session is looked at when it begins and every twentieth of it, any other once half of it is left, and each when it
 * ends; never by the ingestion that records.
 */
export async function lookAfterLeases(runtime: Runtime): Promise<void> {
  for (let organizations = SLICE; organizations === SLICE; ) {
    const { ids, found, within } = await dueOrganizations(runtime.db, toStatement(due), SLICE);
    organizations = found ? ids.length : 0;
    for (const id of ids) await within(() => lookAfter(runtime, id), undefined);
  }
}

async function lookAfter(runtime: Runtime, organizationId: string): Promise<void> {
  for (let size = LEASES_OF_A_LOOK; size === LEASES_OF_A_LOOK; ) {
    const seen = await lookAtLeases(runtime.db, organizationId);
    size = seen.length;
    const over = seen.filter((lease) => lease.over).map(({ id }) => id);
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

/** Stops the leases that have reached a limit. Safe on any number of processes: a lease is stopped once. */
export async function stopAtLimits(runtime: Runtime): Promise<void> {
  const { ids, within } = await dueOrganizations(runtime.db, LIMITED, SLICE);
  for (const id of ids) await within(() => stopIn(runtime, id), undefined);
}

async function stopIn(runtime: Runtime, organizationId: string): Promise<void> {
  const scope = systemScope(runtime, organizationId);
  for (let after: string | undefined = NO_ID; after !== undefined; ) {
    const { reached, isMore, last }: Awaited<ReturnType<typeof compareLimits>> = await compareLimits(
      runtime.db,
      organizationId,
      after,
    );
    for (const each of reached)
      await mutate(scope, model, async (write) => {
        await tripLease(write, each);
        return { id: each.id };
      }).catch((error) =>
        runtime.log.warn({ err: error, organizationId, id: each.id }, "a lease was not stopped; tried again shortly"),
      );
    after = isMore ? last : undefined;
  }
}

/** Organizations with a lease to look at, on the database's time; of a clock that goes on, the index would not be used. */
const due = knex("issueLease").whereRaw('"checkAt" <= now()').distinct("organizationId as id").limit(SLICE);

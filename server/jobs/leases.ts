import { knex, toStatement } from "../../db/builder.ts";
import { Attempts, affectsAll, sumEach, sumTogether } from "../../db/errors/parts.ts";
import type { Statement } from "../../db/open.ts";
import { type Due, dueOrganizations, unlessGone } from "../accounts/due.ts";
import { NO_ID } from "../id.ts";
import { model } from "../resources/index.ts";
import { endLeases } from "../resources/lease/expire.ts";
import { compareLimits, limitedOrganizations, tripLease } from "../resources/lease/limits.ts";
import { dueLeases, LEASES_OF_A_LOOK, lookAtLeases, type Seen } from "../resources/lease/look.ts";
import type { Runtime } from "../runtime.ts";
import { systemScope } from "../scope.ts";
import { mutate } from "../write/mutate.ts";
import { partOf } from "./organizations.ts";

/** The most organizations that one query finds. */
const SLICE = 200;

/**
 * Renews the leases whose sessions recorded something since, and ends those that are over. A lease that
 * names a session is looked at when it begins and every twentieth of it, any other once half of it is left, and each when it
 * ends; never by the ingestion that records. Resolves with the number of leases that it ended.
 */
export const lookAfterLeases = (runtime: Runtime): Promise<number> =>
  eachDue(runtime, dueAfter, (id) => lookAfter(runtime, id));

/** Stops the leases that have reached a limit. Safe on any number of processes: a lease is stopped once. */
export const stopAtLimits = (runtime: Runtime): Promise<number> =>
  eachDue(
    runtime,
    (after) => limitedOrganizations(after, SLICE),
    (id) => stopIn(runtime, id),
  );

/** Works in every organization that a query finds, slice by slice. Each fails alone, and is found again by the next pass. */
async function eachDue(
  { db }: Runtime,
  dueBehind: (after: string) => Statement,
  work: (organizationId: string) => Promise<number>,
): Promise<number> {
  const attempts = new Attempts();
  let done = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const { ids, last, within }: Due = await dueOrganizations(db, dueBehind(after), SLICE);
    for (const id of ids)
      done += await attempts.run(partOf(id), () => within(() => unlessGone(db, id, () => work(id)), 0));
    after = last;
  }
  attempts.end();
  return done;
}

async function lookAfter(runtime: Runtime, organizationId: string): Promise<number> {
  const attempts = new Attempts();
  let ended = 0;
  for (let size = LEASES_OF_A_LOOK; size === LEASES_OF_A_LOOK; ) {
    const seen = await look(runtime, organizationId, attempts);
    size = seen.length;
    const over = seen.filter((lease) => lease.over).map(({ id }) => id);
    ended += await attempts.run({}, () => end(runtime, organizationId, over));
  }
  attempts.end();
  return ended;
}

/** Examines the leases that are due by one statement; when that fails, each fails alone. */
async function look({ db }: Runtime, organizationId: string, attempts: Attempts): Promise<Seen[]> {
  try {
    return await lookAtLeases(db, organizationId);
  } catch (error) {
    if (affectsAll(error)) throw error;
  }
  const seen: Seen[] = [];
  const examine = async (some: readonly string[]) => {
    const found = await lookAtLeases(db, organizationId, some);
    seen.push(...found);
    return found.length;
  };
  for (let after: string | undefined = NO_ID; after; ) {
    const ids: string[] = await dueLeases(db, organizationId, after);
    await attempts.run({}, () => sumTogether(ids, (id) => ({ id }), examine));
    after = ids.at(-1);
  }
  return seen;
}

/** Ends leases of an organization in one transaction; when that fails, each fails alone. */
const end = (runtime: Runtime, organizationId: string, ids: readonly string[]): Promise<number> =>
  sumTogether(
    ids,
    (id) => ({ id }),
    async (some) => {
      const scope = systemScope(runtime, organizationId);
      await mutate(scope, model, async (write) => ({ ids: await endLeases(write, some) }));
      return some.length;
    },
  );

async function stopIn(runtime: Runtime, organizationId: string): Promise<number> {
  const scope = systemScope(runtime, organizationId);
  const attempts = new Attempts();
  let stopped = 0;
  for (let after: string | undefined = NO_ID; after !== undefined; ) {
    const { reached, isMore, last }: Awaited<ReturnType<typeof compareLimits>> = await compareLimits(
      runtime.db,
      organizationId,
      after,
    );
    stopped += await attempts.run({}, () =>
      sumEach(
        reached,
        ({ id }) => ({ id }),
        async (each) => {
          await mutate(scope, model, async (write) => {
            await tripLease(write, each);
            return { id: each.id };
          });
          return 1;
        },
      ),
    );
    after = isMore ? last : undefined;
  }
  attempts.end();
  return stopped;
}

/**
 * Organizations behind an id with a lease to look at, on the database's time; of a clock that goes on, the index would not
 * be used.
 */
const dueAfter = (after: string): Statement =>
  toStatement(
    knex("issueLease")
      .whereRaw('"checkAt" <= now()')
      .where("organizationId", ">", after)
      .distinct("organizationId as id")
      .orderBy("organizationId")
      .limit(SLICE),
  );

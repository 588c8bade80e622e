import { createClockStepDetector } from "../../concurrency/held-clock.ts";
import { knex, toStatement } from "../../db/builder.ts";
import { affectsAllParts, PartRunner, runBatchBisectingFailures, runEachPart } from "../../db/errors/parts.ts";
import type { Database, Statement } from "../../db/open.ts";
import { findDueOrganizations, type OrganizationBatch, runUnlessDeleted } from "../accounts/due.ts";
import { weakMemoize } from "../cache.ts";
import { NO_ID } from "../id.ts";
import { entityModel } from "../resources/index.ts";
import { endLeases } from "../resources/lease/expire.ts";
import { compareLeasesWithLimits, organizationsWithLimitsQuery, stopLeaseAtLimit } from "../resources/lease/limits.ts";
import { type ExaminedLease, examineLeases, MAX_EXAMINED_LEASES, readDueLeaseIds } from "../resources/lease/look.ts";
import type { Runtime } from "../runtime.ts";
import { createSystemScope } from "../scope.ts";
import { runMutationTransaction } from "../write/mutate.ts";
import { toOrganizationPart } from "./organizations.ts";

/** Maximum organizations per query. */
const SLICE = 200;

/**
 * Renews the leases whose sessions recorded something, and ends expired leases. A lease with a session is checked when
 * the lease begins and after every twentieth of its duration. A lease without a session is checked when half the
 * duration is left. Every lease is also checked when the lease ends. Ingestion never checks leases. Resolves with the
 * number of ended leases.
 */
export async function maintainLeases(runtime: Runtime): Promise<number> {
  await followSteps(runtime);
  return eachDue(runtime, dueAfter, (id) => lookAfter(runtime, id));
}

/** Stops leases that reached a limit. Safe in any number of concurrent processes: a lease is stopped only once. */
export async function stopLeasesAtLimits(runtime: Runtime): Promise<number> {
  await followSteps(runtime);
  return eachDue(
    runtime,
    (after) => organizationsWithLimitsQuery(after, SLICE),
    (id) => stopIn(runtime, id),
  );
}

const stepsOf = weakMemoize((_: Database) => ({
  newSteps: createClockStepDetector(),
  due: 0,
  last: Promise.resolve(),
}));

// Raw SQL (docs/database.md): one statement moves the leases of all organizations, which only the
// embedded engine allows.
const FOLLOW = `update "issueLease" set ${["grantedAt", "renewedAt", "expiresAt", "checkAt", "lookedAt"]
  .map((name) => `"${name}" = "${name}" + $1 * interval '1 millisecond'`)
  .join(", ")}`;

/**
 * Moves all leases by the clock step when somebody sets the clock. A lease therefore lasts as long as without the step.
 * Applies to the embedded engine, which uses the clock of this process. PostgreSQL's clock belongs to another machine,
 * which this process cannot watch.
 */
async function followSteps({ db, log }: Runtime): Promise<void> {
  if (db.engine !== "embedded") return;
  const steps = stepsOf(db);
  // Both lease jobs wait until the leases are moved. If moving fails, the next run moves the leases.
  steps.last = steps.last
    .catch(() => {})
    .then(async () => {
      steps.due += steps.newSteps();
      if (steps.due === 0) return;
      await db.query({ text: FOLLOW, values: [steps.due] });
      log.warn(
        { seconds: Math.round(steps.due / 1_000) },
        "the clock was changed; the leases were moved by the same time",
      );
      steps.due = 0;
    });
  await steps.last;
}

/**
 * Works in each organization that a query finds, slice by slice. A failure affects only one organization, which the
 * next pass finds again.
 */
async function eachDue(
  { db }: Runtime,
  dueBehind: (after: string) => Statement,
  work: (organizationId: string) => Promise<number>,
): Promise<number> {
  const attempts = new PartRunner();
  let done = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const { ids, last, within }: OrganizationBatch = await findDueOrganizations(db, dueBehind(after), SLICE);
    for (const id of ids)
      done += await attempts.run(toOrganizationPart(id), () =>
        within(() => runUnlessDeleted(db, id, () => work(id)), 0),
      );
    after = last;
  }
  attempts.end();
  return done;
}

async function lookAfter(runtime: Runtime, organizationId: string): Promise<number> {
  const attempts = new PartRunner();
  let ended = 0;
  for (let size = MAX_EXAMINED_LEASES; size === MAX_EXAMINED_LEASES; ) {
    const seen = await look(runtime, organizationId, attempts);
    size = seen.length;
    const over = seen.filter((lease) => lease.over).map(({ id }) => id);
    ended += await attempts.run({}, () => endExpired(runtime, organizationId, over));
  }
  attempts.end();
  return ended;
}

/** Checks all due leases with one statement. If the statement fails, checks each lease separately. */
async function look({ db }: Runtime, organizationId: string, attempts: PartRunner): Promise<ExaminedLease[]> {
  try {
    return await examineLeases(db, organizationId);
  } catch (error) {
    if (affectsAllParts(error)) throw error;
  }
  const seen: ExaminedLease[] = [];
  const examine = async (some: readonly string[]) => {
    const found = await examineLeases(db, organizationId, some);
    seen.push(...found);
    return found.length;
  };
  for (let after: string | undefined = NO_ID; after; ) {
    const ids: string[] = await readDueLeaseIds(db, organizationId, after);
    await attempts.run({}, () => runBatchBisectingFailures(ids, (id) => ({ id }), examine));
    after = ids.at(-1);
  }
  return seen;
}

/** Ends leases of an organization in one transaction. If the transaction fails, ends each lease separately. */
const endExpired = (runtime: Runtime, organizationId: string, ids: readonly string[]): Promise<number> =>
  runBatchBisectingFailures(
    ids,
    (id) => ({ id }),
    async (some) => {
      const scope = createSystemScope(runtime, organizationId);
      await runMutationTransaction(scope, entityModel, async (write) => ({ ids: await endLeases(write, some) }));
      return some.length;
    },
  );

async function stopIn(runtime: Runtime, organizationId: string): Promise<number> {
  const scope = createSystemScope(runtime, organizationId);
  const attempts = new PartRunner();
  let stopped = 0;
  for (let after: string | undefined = NO_ID; after !== undefined; ) {
    const { reached, isMore, last }: Awaited<ReturnType<typeof compareLeasesWithLimits>> =
      await compareLeasesWithLimits(runtime.db, organizationId, after);
    stopped += await attempts.run({}, () =>
      runEachPart(
        reached,
        ({ id }) => ({ id }),
        async (each) => {
          await runMutationTransaction(scope, entityModel, async (write) => {
            await stopLeaseAtLimit(write, each);
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
 * Selects the next organizations, in order of their ids after `after`, that have a due lease by the database's time.
 * The SQL uses `now()`, which is constant within a statement. With a clock that runs during the statement, PostgreSQL
 * would not use the index.
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

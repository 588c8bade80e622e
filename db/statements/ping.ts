import { type Database, HEALTH_TENANT } from "../database.ts";
import { assertNoConnectionHeld, runInQueueClass } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { queryOnce } from "./query.ts";
import { createTransactionFunction } from "./transaction.ts";

const LIMIT_MS = 1_000;
const TURN = { queueClass: "short", tenant: HEALTH_TENANT } as const;
/**
 * Milliseconds for which a successful write proves that the database accepts writes. Frequent health checks cause at
 * most one write in this time.
 */
const FRESH_MS = 2_000;

/**
 * Creates `Database.ping` over a pool.
 * @param signOfLifeMs a busy engine counts as alive if a statement completed within this number of milliseconds
 */
export function createPingFunction(pool: Pool, signOfLifeMs: number): Database["ping"] {
  const writes = createProbe(pool);
  return async () => {
    assertNoConnectionHeld();
    const deadline = AbortSignal.timeout(LIMIT_MS);
    const late = new Promise<"late">((resolve) => deadline.addEventListener("abort", () => resolve("late")));
    const answer = Promise.all([writes(), queryOnce(pool, { text: "select 1" }, deadline, TURN)]).then(
      () => "well",
      () => (deadline.aborted ? "late" : "down"),
    );
    const state = await Promise.race([answer, late]);
    return state === "well" || (state === "late" && performance.now() - pool.lastReturn() < signOfLifeMs);
  };
}

/**
 * Creates a check that the database accepts writes. A read is not enough: a standby, a read-only database and a
 * database with a full disk still respond to reads. The check writes a row without changing the row. The check also
 * produces numbers that need a temporary file, because a row may fit into old pages although the disk is full.
 */
function createProbe(pool: Pool): () => Promise<void> {
  const transaction = createTransactionFunction(pool);
  const write = () =>
    transaction(async (trx) => {
      const statements = [
        "select set_config('work_mem', '64kB', true)",
        "select count(*) from generate_series(1, 20000)",
        "update knex_migrations set batch = batch where id = 1",
      ];
      await Promise.all(statements.map((text, at) => trx.query({ name: `probe-${at}`, text })));
    });
  let last: Promise<void> | undefined;
  let running = false;
  let begun = 0;
  return () => {
    if (last && (running || performance.now() - begun < FRESH_MS)) return last;
    begun = performance.now();
    running = true;
    const probe = runInQueueClass(TURN.queueClass, write, TURN.tenant).finally(() => {
      running = false;
    });
    last = probe;
    probe.catch(() => {
      // Forgets the failure at once, so that the next check runs again and notices when the cause has ended.
      last = undefined;
    });
    return probe;
  };
}

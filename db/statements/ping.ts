import { type Database, HEALTH_TENANT } from "../database.ts";
import { rejectHolder, runInClass } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { queryOnce } from "./query.ts";
import { createTransaction } from "./transaction.ts";

const LIMIT_MS = 1_000;
const TURN = { queueClass: "short", tenant: HEALTH_TENANT } as const;
/** Milliseconds for which a successful write counts. Frequent health checks cause at most one write in this time. */
const FRESH_MS = 2_000;

/**
 * Creates `Database.ping` over a pool.
 * @param signOfLifeMs milliseconds for which a completed statement counts as a sign of life of a busy engine
 */
export function createPing(pool: Pool, signOfLifeMs: number): Database["ping"] {
  const writes = createProbe(pool);
  return async () => {
    rejectHolder();
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
 * Creates a check that the database accepts writes. A standby, a read-only database or a database with a full disk
 * responds to reads. The check writes a row without changing it, and sorts numbers that need a temporary file, because
 * a row may fit into old pages although the disk is full.
 */
function createProbe(pool: Pool): () => Promise<void> {
  const transaction = createTransaction(pool);
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
    const probe = runInClass(TURN.queueClass, write, TURN.tenant).finally(() => {
      running = false;
    });
    last = probe;
    probe.catch(() => {
      // Forgets the failure at once, so that the next check sees the end of the cause.
      last = undefined;
    });
    return probe;
  };
}

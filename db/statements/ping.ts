import { type Database, HEALTH } from "../database.ts";
import { inClass, refuseHolder } from "../pool/context.ts";
import type { Pool } from "../pool/pool.ts";
import { queryOnce } from "./query.ts";
import { createTransaction } from "./transaction.ts";

const LIMIT_MS = 1_000;
const TURN = { queueClass: "short", tenant: HEALTH } as const;
/** However often someone asks: no more than one write that succeeds in so long. */
const FRESH_MS = 2_000;

/**
 * `Database.ping` over a pool.
 * @param signOfLifeMs milliseconds for which work done counts as a sign of life while the engine is too busy to answer
 */
export function createPing(pool: Pool, signOfLifeMs: number): Database["ping"] {
  const writes = createProbe(pool);
  return async () => {
    refuseHolder();
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
 * A database may answer every question and take nothing: it is a standby, was set read-only, or its disk is full. So a
 * row is written as it stands, and numbers that need a file: a row may find room in old pages when the disk has none.
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
    const probe = inClass(TURN.queueClass, write, TURN.tenant).finally(() => {
      running = false;
    });
    last = probe;
    probe.catch(() => {
      // A failure is over when its cause is, not two seconds later.
      last = undefined;
    });
    return probe;
  };
}

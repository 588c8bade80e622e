import { refuseHolder } from "./context.ts";
import type { Database } from "./database.ts";
import type { Pool } from "./pool.ts";
import { queryOnce } from "./query.ts";

const LIMIT_MS = 1_000;

/**
 * `Database.ping` over a pool.
 * @param patience milliseconds for which work done counts as a sign of life while the engine is too busy to answer
 */
export function createPing(pool: Pool, patience: number): Database["ping"] {
  return async () => {
    refuseHolder();
    const deadline = AbortSignal.timeout(LIMIT_MS);
    const late = new Promise<"late">((resolve) => deadline.addEventListener("abort", () => resolve("late")));
    const answer = queryOnce(pool, { text: "select 1" }, deadline).then(
      () => "well",
      () => (deadline.aborted ? "late" : "down"),
    );
    const state = await Promise.race([answer, late]);
    return state === "well" || (state === "late" && performance.now() - pool.lastReturn() < patience);
  };
}

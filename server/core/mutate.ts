import type { Statement, Transaction } from "../../db/open.ts";
import { notFound } from "../errors.ts";
import { explained } from "./constraint.ts";
import type { Model } from "./entity.ts";
import { flush } from "./flush.ts";
import { inLane } from "./lane.ts";
import { type Once, recall, remember } from "./once.ts";
import type { Result } from "./resource.ts";
import type { Scope } from "./scope.ts";
import type { Write } from "./write.ts";

/** What a mutation leaves behind: its function's result and the organization's last change number. */
export interface Outcome {
  result: Result;
  lastSyncId: number;
  /** What `read` found. */
  rows: readonly Record<string, string | null>[];
}

/** What goes with a mutation in the same transaction. */
interface Options {
  /** The request's idempotency key: with it, the same mutation is not made twice. */
  once?: Once | undefined;
  /** Completes the result of a mutation that is not made twice, with values that are not kept. */
  again?: ((write: Write, result: Result) => Promise<Result>) | undefined;
  /** The statement that reads what the caller wants to see of the result. */
  read?: ((result: Result) => Statement) | undefined;
}

/**
 * Runs `work` as one transaction of an organization. Its first statement raises the organization's change counter,
 * which also holds every other writer of the organization back: numbers are gapless and in commit order, and what
 * `work` reads stays true until the commit. Work that changes nothing leaves no trace. Announces news after the commit.
 */
export async function mutate(
  scope: Scope,
  model: Model,
  work: (write: Write) => Promise<Result> | Result,
  options: Options = {},
): Promise<Outcome> {
  let news = false;
  const attempt = async (trx: Transaction): Promise<Outcome> => {
    const write = newWrite(scope, model, trx);
    const raised = raise(trx, scope.organizationId);
    const { once, again, read } = options;
    const known = once && (await recall(write, once));
    const result = known ? ((await again?.(write, known.result)) ?? known.result) : await work(write);
    const base = await raised;
    const idle = write.operations.length === 0 && write.entries.length === 0 && !write.direct;
    news = write.entries.length > 0;
    if (known || (idle && !once)) trx.undo();
    const lastSyncId = known?.lastSyncId ?? (idle && !once ? base - 1 : flush(write, base));
    if (once && !known) remember(write, once, { result, lastSyncId });
    const rows = read ? await trx.query<Record<string, string | null>>(read(result)) : [];
    return { result, lastSyncId, rows };
  };
  const outcome = await inLane(scope.db, scope.organizationId, attempt).catch((error) => {
    throw explained(error);
  });
  if (news) scope.db.wake.publish(scope.organizationId);
  return outcome;
}

const newWrite = (scope: Scope, model: Model, trx: Transaction): Write => ({
  scope,
  model,
  trx,
  at: new Date().toISOString(),
  operations: [],
  entries: [],
  rows: new Map(),
  direct: false,
});

/** Raises the counter by the one change most mutations make. Its failure is told when it is awaited. */
function raise(trx: Transaction, organizationId: string): Promise<number> {
  const raised = trx
    .query<{ lastSyncId: number }>({
      name: "raise-sync",
      text: `update sync set "lastSyncId" = "lastSyncId" + 1 where "organizationId" = $1 returning "lastSyncId"`,
      values: [organizationId],
    })
    .then(([sync]) => {
      if (!sync) throw notFound("organization", organizationId);
      return sync.lastSyncId;
    });
  raised.catch(() => {});
  return raised;
}

import type { Transaction } from "../../db/open.ts";
import type { Model } from "../read/entity.ts";
import type { Scope } from "../scope.ts";
import { toAppError } from "./constraint.ts";
import { flush } from "./flush.ts";
import { inLane } from "./group-commit/group-commit.ts";
import { lastOf, note, recalled, type Turn } from "./group-commit/shared-transaction.ts";
import { findOutcome, type IdempotentRequest, storeOutcome } from "./idempotency.ts";
import { checkOwner } from "./owner-check.ts";
import type { Result } from "./result.ts";
import type { Write } from "./write.ts";

/** What a mutation leaves behind: its function's result and the organization's last change number. */
export interface MutationOutcome {
  result: Result;
  lastSyncId: number;
  /** What `read` found. */
  rows: Rows;
}

type Rows = readonly Record<string, string | null>[];

/** What goes with a mutation in the same transaction. */
interface Options {
  /** The role the caller must have at this moment; any when absent. */
  needs?: Scope["role"] | undefined;
  /** The request's idempotency key: with it, the same mutation is not made twice. */
  once?: IdempotentRequest | undefined;
  /** Completes the result of a mutation that is not made twice, with values that are not kept. */
  onReplay?: ((write: Write, result: Result) => Promise<Result>) | undefined;
  /** Reads what the caller wants to see of the result, before the commit: when that fails, nothing was written. */
  read?: ((trx: Transaction, result: Result) => Promise<Rows>) | undefined;
}

/**
 * Runs `work` in a transaction of an organization, as if alone. The first statement raises the organization's change
 * counter, which also holds every other writer of the organization back: numbers are gapless and in commit order, and
 * what `work` reads stays true until the commit. Work that changes nothing leaves no trace; work that fails leaves
 * none either. Announces news after the commit.
 */
export async function mutate(
  scope: Scope,
  model: Model,
  work: (write: Write) => Promise<Result> | Result,
  options: Options = {},
): Promise<MutationOutcome> {
  let news = false;
  const attempt = async (trx: Transaction, turn: Turn) => {
    const write = newWrite(scope, model, trx, turn);
    const { needs, once, onReplay: again, read } = options;
    if (needs === "owner") await checkOwner(write);
    const known = once && (await findOutcome(write, once));
    const result = known ? ((await again?.(write, known.result)) ?? known.result) : await work(write);
    const before = await lastOf(turn);
    const idle = known || (write.operations.length === 0 && write.entries.length === 0 && !write.direct && !once);
    const lastSyncId = known?.lastSyncId ?? (idle ? before : flush(write, before));
    if (once && !known) storeOutcome(write, once, { result, lastSyncId });
    // Not awaited here, so that COMMIT need not wait for it either.
    const rows = read ? read(trx, result) : [];
    if (!idle) turn.last = lastSyncId;
    note(turn, write);
    news = write.entries.length > 0;
    return { result, lastSyncId, rows };
  };
  const outcome = await inLane(scope.db, scope.organizationId, attempt).catch((error) => {
    throw toAppError(error);
  });
  if (news) scope.db.wake.publish(scope.organizationId);
  return { ...outcome, rows: await outcome.rows };
}

const newWrite = (scope: Scope, model: Model, trx: Transaction, turn: Turn): Write => ({
  scope,
  model,
  trx,
  at: new Date().toISOString(),
  operations: [],
  entries: [],
  rows: new Map(),
  cachedRow: (key) => recalled(turn, key),
  direct: false,
});

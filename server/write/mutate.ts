import { compiled, knex } from "../../db/builder.ts";
import { constraintOf, isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import type { Transaction } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { AppError, conflict, forbidden, inputError } from "../errors.ts";
import type { Model } from "../read/entity.ts";
import type { Scope } from "../scope.ts";
import { flush } from "./flush.ts";
import { stillTrue } from "./group-commit/found-together.ts";
import { groupCommit } from "./group-commit/group-commit.ts";
import { forgetUrlKey, logContextOf } from "./group-commit/log-context.ts";
import { deliveriesOf, lastSyncIdOf, type SharedTransaction } from "./group-commit/shared-transaction.ts";
import { findOutcome, type IdempotentRequest, storeOutcome } from "./idempotency.ts";
import { load, type Reference } from "./load.ts";
import { isOfTenant, type Result, type Write } from "./write.ts";

/** The driver's error of a broken constraint. */
interface Broken extends Error {
  code: string;
}

/** The names of unique constraints end with the field they keep unique; those of links hold the field before `fkey`. */
const UNIQUE_FIELDS: Record<string, string> = { number: "number", key: "key", url: "urlKey" };

/**
 * Translates a statement's failure for the caller: a value in use already, a reference that leads nowhere or is still
 * needed, a value out of range. Rules check before they write; this is for what changed in between. Anything else is
 * handed back as it is.
 */
function toAppError(error: unknown): unknown {
  if (!isBroken(error) || error instanceof AppError) return error;
  const constraint = constraintOf(error);
  if (error.code === "23505") {
    const field = constraint.endsWith("_pkey")
      ? "id"
      : (readOwn(UNIQUE_FIELDS, constraint.split("_").at(-2) ?? "") ?? "id");
    return conflict(`${field} is in use already; choose another`, undefined, field);
  }
  if (isForeignKeyViolation(error)) {
    const field = /_organizationId_(\w+)_fkey/.exec(constraint)?.[1];
    if (error.message.startsWith("update or delete")) return conflict("it is still in use elsewhere", "in_use");
    return inputError(`${field ?? "a reference"} leads to something that is no longer there`, field);
  }
  if (error.code.startsWith("22")) return inputError("a value is out of range");
  return error;
}

const isBroken = (error: unknown): error is Broken => error instanceof Error && "code" in error;

/** The outcome of a mutation: its function's result and the organization's last change number. */
export interface MutationOutcome {
  result: Result;
  lastSyncId: number;
  /** Deliveries that were written for its changes. */
  deliveries: number;
  /** The rows that `read` found. */
  rows: PayloadRows;
}

type PayloadRows = readonly Record<string, string | null>[];
type Work = (write: Write) => Promise<Result> | Result;

/** Options of a mutation: work that goes with it in the same transaction. */
interface Options {
  /** The role the caller must have at this moment; any when absent. */
  needs?: Scope["role"] | undefined;
  /** Rows that `work` is going to ask for: they are read together with those of others that share its transaction. */
  wanted?: readonly Reference[] | undefined;
  /** The request's idempotency key: with it, the same mutation is not made twice. */
  idempotency?: IdempotentRequest | undefined;
  /** Completes the stored result of a mutation that is asked for again, with values that are not stored. */
  onReplay?: ((write: Write, result: Result) => Promise<Result>) | undefined;
  /** Reads what the caller wants to see of the result, before the commit: when that fails, nothing was written. */
  read?: ((trx: Transaction, result: Result) => Promise<PayloadRows>) | undefined;
}

/**
 * Runs `work` in a transaction of an organization, as if alone:
 *
 * 1. lock: the first statement raises the organization's change counter, which also holds its other writers back, so
 *    that change numbers are gapless and in commit order;
 * 2. load: `work` asks for rows through `find`, and what it reads stays true until the commit;
 * 3. run: `work` decides, and notes what is to be written;
 * 4. flush: rows, change log and deliveries are written;
 * 5. read: what the caller is to see of the result.
 *
 * Work that changes nothing leaves no trace; work that fails leaves none either. Listeners are notified after the commit.
 */
export async function mutate(scope: Scope, model: Model, work: Work, options: Options = {}): Promise<MutationOutcome> {
  const { organizationId, db } = scope;
  const { result, lastSyncId, changes, logged, rows, transaction } = await groupCommit(
    db,
    organizationId,
    async (trx, shared) => {
      const write = newWrite(scope, model, trx, shared);
      const done = await runLocked(write, shared, work, options);
      // Not awaited here, so that COMMIT need not wait for it either.
      const reading = options.read?.(trx, done.result) ?? [];
      shared.rows.put(write);
      const changes = write.entries.filter(({ entity }) => entity.event).length;
      return { ...done, rows: reading, changes, logged: write.entries.length > 0, transaction: shared };
    },
    {
      references: options.wanted ?? [],
      async load(trx, shared, references) {
        const write = newWrite(scope, model, trx, shared);
        await load(write, references);
        return write.rows;
      },
    },
  ).catch((error) => {
    throw toAppError(error);
  });
  if (logged) db.wake.publish(organizationId);
  return { result, lastSyncId, deliveries: await deliveriesOf(transaction, changes), rows: await rows };
}

/** Runs and flushes the work, unless the same request has done so before. */
async function runLocked(write: Write, shared: SharedTransaction, work: Work, options: Options) {
  const { needs, idempotency, onReplay } = options;
  if (needs === "owner") await checkOwner(write);
  const stored = idempotency && (await findOutcome(write, idempotency));
  if (stored) return { ...stored, result: (await onReplay?.(write, stored.result)) ?? stored.result };
  const result = await work(write);
  const before = await lastSyncIdOf(shared);
  const writesNothing = write.operations.length === 0 && write.entries.length === 0 && !write.direct;
  if (writesNothing && !idempotency) return { result, lastSyncId: before };
  const found = stillTrue(write, shared.found);
  const lastSyncId = flush(write, before, await logContextOf(write, shared));
  if (write.operations.some(isOfTenant)) forgetUrlKey(shared);
  if (idempotency) storeOutcome(write, idempotency, { result, lastSyncId });
  shared.found = found;
  shared.lastSyncId = lastSyncId;
  return { result, lastSyncId };
}

const newWrite = (scope: Scope, model: Model, trx: Transaction, shared: SharedTransaction): Write => ({
  scope,
  model,
  trx,
  at: new Date().toISOString(),
  operations: [],
  entries: [],
  followUps: [],
  rows: new Map(),
  before: new Map(),
  derived: shared.derived,
  cachedRow: (key) => shared.rows.get(key) ?? shared.found.get(key) ?? undefined,
  direct: false,
});

/**
 * Checks that the caller is an owner: by the token, and then by the user's row, since the role may have changed after
 * the token was checked. It cannot change again before the commit: the organization is locked.
 * @throws forbidden for members who are not owners.
 */
async function checkOwner({ scope, trx }: Write): Promise<void> {
  const [owner] = scope.role === "owner" ? await ownerRow(trx, scope) : [];
  if (!owner) throw forbidden("only owners of the organization may do this");
}

const ownerRow = (trx: Write["trx"], { organizationId, userId }: Write["scope"]) =>
  trx.query(readOwner({ organizationId, id: userId }));

const readOwner = compiled(
  "is-owner",
  ["organizationId", "id"],
  (user) =>
    knex("user")
      .where({ ...user, role: "owner", active: true })
      .select("id"),
  { reads: ["user"] },
);

import { definePreparedStatement, knex } from "../../db/builder.ts";
import { getViolatedConstraint, isForeignKeyViolation } from "../../db/errors/sqlstate.ts";
import type { Transaction } from "../../db/open.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { AppError, conflict, forbidden, inputError } from "../errors.ts";
import type { EntityModel } from "../read/entity.ts";
import type { Scope } from "../scope.ts";
import { flushPendingOperations } from "./flush.ts";
import { keepCurrentRows } from "./group-commit/found-together.ts";
import { runInGroupCommit } from "./group-commit/group-commit.ts";
import { forgetUrlKey, readChangeLogContext } from "./group-commit/log-context.ts";
import { countDeliveries, readLastSyncId, type SharedTransaction } from "./group-commit/shared-transaction.ts";
import { findStoredOutcome, type IdempotentRequest, storeOutcome } from "./idempotency.ts";
import { type EntityReference, loadRows } from "./load.ts";
import { changesOrganizationRow, type MutationResult, type WriteContext } from "./write.ts";

/** An error of the database driver for a violated constraint. */
interface Broken extends Error {
  code: string;
}

/**
 * Maps the second-to-last part of a unique constraint's name to a field. Foreign key constraints need no entry, because
 * their names contain the field before `fkey`.
 */
const UNIQUE_FIELDS: Record<string, string> = { number: "number", key: "key", url: "urlKey" };

/**
 * Translates a database error into an error for the caller: a value that is already in use, a reference that is
 * missing or still needed, or a value out of range. Mutations check their rules before writing, so only changes by
 * other writers in between cause these errors. Returns other errors unchanged.
 */
function toAppError(error: unknown): unknown {
  if (!isBroken(error) || error instanceof AppError) return error;
  const constraint = getViolatedConstraint(error);
  if (error.code === "23505") {
    const field = constraint.endsWith("_pkey")
      ? "id"
      : (getOwnProperty(UNIQUE_FIELDS, constraint.split("_").at(-2) ?? "") ?? "id");
    return conflict(`${field} is already in use; choose another value`, undefined, field);
  }
  if (isForeignKeyViolation(error)) {
    const field = /_organizationId_(\w+)_fkey/.exec(constraint)?.[1];
    if (error.message.startsWith("update or delete")) return conflict("it is still in use", "in_use");
    return inputError(`${field ?? "a reference"} refers to something that no longer exists`, field);
  }
  if (error.code.startsWith("22")) return inputError("a value is out of range");
  return error;
}

const isBroken = (error: unknown): error is Broken => error instanceof Error && "code" in error;

/** The outcome of a mutation: the result of its function, and the organization's last change number. */
export interface MutationOutcome {
  result: MutationResult;
  lastSyncId: number;
  /** Number of deliveries that were created for the mutation's changes. */
  deliveries: number;
  /** Rows that `read` returned. */
  rows: PayloadRows;
}

type PayloadRows = readonly Record<string, string | null>[];
type Work = (write: WriteContext) => Promise<MutationResult> | MutationResult;

/** Options of a mutation: checks and reads in the same transaction. */
interface Options {
  /** Role that the caller must have when the mutation runs. Any role is allowed if absent. */
  needs?: Scope["role"] | undefined;
  /**
   * Rows that `work` will load first. The server reads the rows together with the rows of other mutations in the same
   * transaction.
   */
  wanted?: readonly EntityReference[] | undefined;
  /** Idempotency key of the request. A mutation with the same key does not run twice. */
  idempotency?: IdempotentRequest | undefined;
  /** Completes the stored result of a repeated request with values that are not stored. */
  onReplay?: ((write: WriteContext, result: MutationResult) => Promise<MutationResult>) | undefined;
  /** Reads the result for the caller before the commit. If the read fails, nothing is written. */
  read?: ((trx: Transaction, result: MutationResult) => Promise<PayloadRows>) | undefined;
}

/**
 * Runs `work` in a transaction of an organization, isolated from other writers:
 *
 * 1. Lock: the first statement raises the organization's change counter and thereby blocks other writers. Change
 * numbers are gapless and in commit order.
 * 2. Load: `work` loads rows through `find`, and the rows do not change before the commit.
 * 3. Run: `work` decides and records the writes.
 * 4. Flush: the rows, the change log and the deliveries are written.
 * 5. Read: the caller's view of the result is read.
 *
 * Work that changes nothing or fails leaves nothing in the database. Listeners are notified after the commit.
 */
export async function runMutationTransaction(
  scope: Scope,
  model: EntityModel,
  work: Work,
  options: Options = {},
): Promise<MutationOutcome> {
  const { organizationId, db } = scope;
  const { result, lastSyncId, changes, logged, rows, transaction } = await runInGroupCommit(
    db,
    organizationId,
    async (trx, shared) => {
      const write = newWrite(scope, model, trx, shared);
      const done = await runLocked(write, shared, work, options);
      // The read is not awaited here, so that COMMIT can be sent without waiting for the read.
      const reading = options.read?.(trx, done.result) ?? [];
      shared.rows.put(write);
      const changes = write.entries.filter(({ entity }) => entity.event).length;
      return { ...done, rows: reading, changes, logged: write.entries.length > 0, transaction: shared };
    },
    {
      references: options.wanted ?? [],
      async load(trx, shared, references) {
        const write = newWrite(scope, model, trx, shared);
        await loadRows(write, references);
        return write.rows;
      },
    },
  ).catch((error) => {
    throw toAppError(error);
  });
  if (logged) db.wake.publish(organizationId);
  return { result, lastSyncId, deliveries: await countDeliveries(transaction, changes), rows: await rows };
}

/** Runs and flushes the work, or returns the stored outcome of the same request. */
async function runLocked(write: WriteContext, shared: SharedTransaction, work: Work, options: Options) {
  const { needs, idempotency, onReplay } = options;
  if (needs === "owner") await checkOwner(write);
  const stored = idempotency && (await findStoredOutcome(write, idempotency));
  if (stored) return { ...stored, result: (await onReplay?.(write, stored.result)) ?? stored.result };
  const result = await work(write);
  const before = await readLastSyncId(shared);
  const writesNothing = write.operations.length === 0 && write.entries.length === 0 && !write.direct;
  if (writesNothing && !idempotency) return { result, lastSyncId: before };
  const found = keepCurrentRows(write, shared.found);
  const lastSyncId = flushPendingOperations(write, before, await readChangeLogContext(write, shared));
  if (write.operations.some(changesOrganizationRow)) forgetUrlKey(shared);
  if (idempotency) storeOutcome(write, idempotency, { result, lastSyncId });
  shared.found = found;
  shared.lastSyncId = lastSyncId;
  return { result, lastSyncId };
}

const newWrite = (scope: Scope, model: EntityModel, trx: Transaction, shared: SharedTransaction): WriteContext => ({
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
 * Checks that the caller is an owner: first by the token, then by the user's row, because the role may have changed
 * after the token was checked. The role cannot change before the commit, because the organization is locked.
 * @throws forbidden for members who are not owners.
 */
async function checkOwner({ scope, trx }: WriteContext): Promise<void> {
  const [owner] = scope.role === "owner" ? await ownerRow(trx, scope) : [];
  if (!owner) throw forbidden("only owners of the organization can do this");
}

const ownerRow = (trx: WriteContext["trx"], { organizationId, userId }: WriteContext["scope"]) =>
  trx.query(readOwner({ organizationId, id: userId }));

const readOwner = definePreparedStatement(
  "is-owner",
  ["organizationId", "id"],
  (user) =>
    knex("user")
      .where({ ...user, role: "owner", active: true })
      .select("id"),
  { reads: ["user"] },
);

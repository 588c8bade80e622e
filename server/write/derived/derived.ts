import { readsAny, type Statement, type Transaction, writesAny } from "../../../db/open.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Derivation, RowChange } from "../../read/entity.ts";
import { buildChangeLogInsert, type PendingLog } from "../log.ts";
import type { RowOperation, WriteContext } from "../write.ts";
import { buildDeliveryInsert } from "./deliveries.ts";
import { findSeparateRow, isPlainMutation } from "./separate.ts";

/**
 * Derived writes of all mutations in a shared transaction. The transaction sends the derived writes once, before the
 * commit.
 */
export interface DerivedWrites {
  /** Changes that are not in the log yet. No later mutation has written the rows of these changes. */
  log: PendingLog | undefined;
  /** Range of changes to deliver to webhooks: the first and the last number, and the numbers in between to skip. */
  changes: { first: number; last: number; but: readonly number[] } | undefined;
  /** Changed rows, grouped by the derivation that depends on the rows. */
  rows: Map<Derivation, RowChange[]>;
}

/** Initial state of a transaction without changes. */
export const createDerivedWrites = (): DerivedWrites => ({ log: undefined, changes: undefined, rows: new Map() });

/** Records the derived writes of a mutation. `before` is the last change number before the mutation. */
export function recordDerivedWrites(write: WriteContext, before: number): void {
  const { derived, entries } = write;
  const but = entries.flatMap(({ entity }, at) => (!entity.event ? [before + 1 + at] : []));
  if (entries.length > but.length) {
    const { first = before + 1, but: others = [] } = derived.changes ?? {};
    derived.changes = { first, last: before + entries.length, but: [...others, ...but] };
  }
  for (const [key, { entity, id, row }] of write.before) {
    const change = { id, before: row, after: write.rows.get(key) ?? null };
    for (const each of entity.tuning?.derives ?? []) {
      if (!concerns(each, change)) continue;
      const known = derived.rows.get(each);
      if (known) known.push(change);
      else derived.rows.set(each, [change]);
    }
  }
}

const concerns = ({ from }: Derivation, { before, after }: RowChange): boolean =>
  before && after
    ? from.some((column) => getOwnProperty(before, column) !== getOwnProperty(after, column))
    : before !== after;

/** Statements that write derived values. */
interface DerivedStatements {
  /** The statement that creates deliveries, and the number of changes that it covers. */
  deliveries: { statement: Statement; changes: number } | undefined;
  others: Statement[];
}

/**
 * Returns the statements for all derived writes except the log, and removes these writes from `derived`. `hooked` is
 * false if the organization cannot have an enabled webhook.
 */
export function takeDerivedStatements(
  organizationId: string,
  derived: DerivedWrites,
  hooked: boolean,
): DerivedStatements {
  const { changes, rows } = derived;
  Object.assign(derived, { ...createDerivedWrites(), log: derived.log });
  return {
    deliveries:
      changes && hooked
        ? {
            statement: buildDeliveryInsert(organizationId, changes),
            changes: changes.last - changes.first + 1 - changes.but.length,
          }
        : undefined,
    others: [...rows].flatMap(([{ statements }, changed]) => statements(organizationId, changed)),
  };
}

/**
 * Returns true if the pending derived writes must run before the statement. The order matters if the statement reads or
 * writes a derived table, or writes the table of webhooks while deliveries are pending.
 */
export function needsDerivedWritesFirst({ changes, rows }: DerivedWrites, statement: Statement): boolean {
  const tables = [...rows.keys()].map(({ table }) => table);
  if (changes) tables.push("delivery");
  return (
    readsAny(statement, tables) || writesAny(statement, tables) || (!!changes && writesAny(statement, ["webhook"]))
  );
}

/**
 * Returns true if a mutation's changes may be logged at the end of the transaction. The log statement reads the rows at
 * that time, and only the rows of plain mutations are sure to be unchanged until then.
 */
export const canDeferLog = (write: WriteContext): boolean =>
  isPlainMutation(write) && write.entries.every(({ entity }) => entity.tuning?.separate?.logged);

/**
 * Returns the pending log and clears it, so that a mutation on other rows can append its changes. If the mutation
 * writes a row of the pending log, sends the log first and returns undefined.
 */
export function takePendingLog({ trx, scope, model, derived, operations }: WriteContext): PendingLog | undefined {
  const { log } = derived;
  if (!log) return undefined;
  const waiting = new Set(log.entries.map(({ id }) => id.toLowerCase()));
  const touches = (operation: RowOperation) => {
    const { entity, id } = findSeparateRow(model, operation) ?? {};
    return entity?.tuning?.separate?.logged && (id === undefined || waiting.has(id.toLowerCase()));
  };
  if (log.scope.system !== scope.system || operations.some(touches)) {
    sendPendingLog(trx, derived);
    return undefined;
  }
  derived.log = undefined;
  return log;
}

/** Appends a mutation's changes to the pending log. */
export function appendToPendingLog(derived: DerivedWrites, earlier: PendingLog | undefined, own: PendingLog): void {
  derived.log = own.entries.length > 0 ? { ...own, entries: [...(earlier?.entries ?? []), ...own.entries] } : earlier;
}

/** Sends the statement that writes the pending log. */
export function sendPendingLog(trx: Transaction, derived: DerivedWrites): void {
  const { log } = derived;
  derived.log = undefined;
  if (log) void trx.query(buildChangeLogInsert(log));
}

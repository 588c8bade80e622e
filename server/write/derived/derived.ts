import { readsAny, type Statement, type Transaction, writesAny } from "../../../db/open.ts";
import { readOwn } from "../../../formats/own.ts";
import type { Derivation, RowChange } from "../../read/entity.ts";
import { changesStatement, type Log } from "../log.ts";
import type { Operation, Write } from "../write.ts";
import { deliveriesStatement } from "./deliveries.ts";
import { isPlain, separateOf } from "./separate.ts";

/** Consequences of mutations that share a transaction, which are written once for all of them, at its end. */
export interface Derived {
  /** Changes that are not in the log yet, of rows that nothing has written since. */
  log: Log | undefined;
  /** The changes that webhooks are to receive: the first and the last, and those between that they do not. */
  changes: { first: number; last: number; but: readonly number[] } | undefined;
  /** Rows that changed, by what is derived from them. */
  rows: Map<Derivation, RowChange[]>;
}

/** A transaction that has changed nothing yet. */
export const nothingDerived = (): Derived => ({ log: undefined, changes: undefined, rows: new Map() });

/** Notes what follows from a mutation; `before` is the last number of the change log that was taken before it. */
export function noteDerived(write: Write, before: number): void {
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
  before && after ? from.some((column) => readOwn(before, column) !== readOwn(after, column)) : before !== after;

/** Statements that write what follows from mutations. */
interface DerivedStatements {
  /** The statement whose rows are deliveries, and the number of changes that they are of. */
  deliveries: { statement: Statement; changes: number } | undefined;
  others: Statement[];
}

/** The statements that write it all but the log; from then on nothing else waits. `hooked`: whether a webhook may be enabled. */
export function derivedStatements(organizationId: string, derived: Derived, hooked: boolean): DerivedStatements {
  const { changes, rows } = derived;
  Object.assign(derived, { ...nothingDerived(), log: derived.log });
  return {
    deliveries:
      changes && hooked
        ? {
            statement: deliveriesStatement(organizationId, changes),
            changes: changes.last - changes.first + 1 - changes.but.length,
          }
        : undefined,
    others: [...rows].flatMap(([{ statements }, changed]) => statements(organizationId, changed)),
  };
}

/** Tells whether a statement has to find written what waits: it reads or changes it, or decides who receives changes. */
export function needsDerived({ changes, rows }: Derived, statement: Statement): boolean {
  const tables = [...rows.keys()].map(({ table }) => table);
  if (changes) tables.push("delivery");
  return (
    readsAny(statement, tables) || writesAny(statement, tables) || (!!changes && writesAny(statement, ["webhook"]))
  );
}

/** Tells whether the log may take the changes of a mutation later: only plain changes touch the rows that it is made of. */
export const mayWait = (write: Write): boolean =>
  isPlain(write) && write.entries.every(({ entity }) => entity.tuning?.separate?.logged);

/**
 * Takes the changes that wait for the log, for a mutation that writes other rows to add its own. Where it writes one of
 * theirs they are sent.
 */
export function passLog({ trx, scope, model, derived, operations }: Write): Log | undefined {
  const { log } = derived;
  if (!log) return undefined;
  const waiting = new Set(log.entries.map(({ id }) => id.toLowerCase()));
  const touches = (operation: Operation) => {
    const { entity, id } = separateOf(model, operation) ?? {};
    return entity?.tuning?.separate?.logged && (id === undefined || waiting.has(id.toLowerCase()));
  };
  if (log.scope.system !== scope.system || operations.some(touches)) {
    sendLog(trx, derived);
    return undefined;
  }
  derived.log = undefined;
  return log;
}

/** Adds a mutation's changes to those that wait. */
export function addToLog(derived: Derived, earlier: Log | undefined, own: Log): void {
  derived.log = own.entries.length > 0 ? { ...own, entries: [...(earlier?.entries ?? []), ...own.entries] } : earlier;
}

/** Sends what waits for the log. */
export function sendLog(trx: Transaction, derived: Derived): void {
  const { log } = derived;
  derived.log = undefined;
  if (log) void trx.query(changesStatement(log));
}

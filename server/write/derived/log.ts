import type { Transaction } from "../../../db/open.ts";
import { changesStatement, type Log } from "../log.ts";
import type { Operation, Write } from "../write.ts";
import type { Derived } from "./derived.ts";
import { isPlain, separateOf } from "./separate.ts";

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

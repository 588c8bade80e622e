import type { Transaction } from "../../../db/open.ts";
import { isPlain } from "../group-commit/found-together.ts";
import { changesStatement, type Log } from "../log.ts";
import type { Operation, Write } from "../write.ts";
import type { Derived } from "./derived.ts";

/** Whether the log may take the changes of a mutation later: it is made of rows that only plain changes of issues touch. */
export const mayWait = (write: Write): boolean =>
  isPlain(write) && write.entries.every(({ entity }) => entity.name === "Issue");

/**
 * Takes what waits for the log out of the way of a mutation that leaves it as it is, since it writes other issues. Sends
 * it where the mutation does not.
 */
export function passLog({ trx, scope, derived, operations }: Write): Log | undefined {
  const { log } = derived;
  if (!log) return undefined;
  const waiting = new Set(log.entries.map(({ id }) => id.toLowerCase()));
  if (log.scope.system !== scope.system || operations.some((operation) => touches(operation, waiting))) {
    sendLog(trx, derived);
    return undefined;
  }
  derived.log = undefined;
  return log;
}

/** Whether an operation changes one of these issues, or its labels. */
function touches(operation: Operation, issues: ReadonlySet<string>): boolean {
  const column = { issue: "id", issueLabelLink: "issueId" }[operation.table];
  if (column === undefined) return false;
  const id = (operation.kind === "insert" ? operation.row : operation.where)[column];
  return typeof id !== "string" || issues.has(id.toLowerCase());
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

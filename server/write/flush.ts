import { noteDerived } from "./derived/derived.ts";
import { addToLog, mayWait, passLog } from "./derived/log.ts";
import type { LogContext } from "./group-commit/log-context.ts";
import { changesStatement, type Log } from "./log.ts";
import { rowsStatement } from "./rows-statement.ts";
import type { Write } from "./write.ts";

/**
 * Sends what waits, without waiting for the answers: the rows in one statement, the changes in another, then the removal
 * of rows, which the log must see before. What is derived from it is left to the end of the transaction, and so are the
 * changes where the log can be made of them then.
 * @param before the last number of the change log that is taken @returns the last one taken now
 */
export function flush(write: Write, before: number, context: LogContext): number {
  const removals = write.operations.filter(({ kind }) => kind === "remove");
  const rows = write.operations.filter(({ kind }) => kind !== "remove");
  const log = logOf(write, before, context);
  const waits = mayWait(write);
  const earlier = waits ? passLog(write) : undefined;
  if (rows.length > 0) void write.trx.query(rowsStatement(rows));
  if (waits) addToLog(write.derived, earlier, log);
  else if (log.entries.length > 0) void write.trx.query(changesStatement(log));
  noteDerived(write, before);
  if (removals.length > 0) void write.trx.query(rowsStatement(removals));
  for (const statement of write.followUps) void write.trx.query(statement);
  return before + write.entries.length;
}

function logOf({ scope, model, at, entries }: Write, before: number, { urlKey, actor, known }: LogContext): Log {
  const { userId } = scope;
  return {
    scope,
    model,
    urlKey,
    known,
    entries: entries.map((entry, n) => ({ ...entry, number: before + 1 + n, at, userId, actor })),
  };
}

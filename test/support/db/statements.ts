import type { Database, Statement } from "../../../db/open.ts";
import { turn } from "../../../db/pool/context.ts";
import type { App } from "../../../server/app.ts";

/**
 * The statements that read the database while `work` ran, but for those of the credential and of jobs. Notes in the
 * background are writes.
 */
export async function statementsOf({ runtime }: App, work: () => Promise<unknown>): Promise<Statement[]> {
  const { db } = runtime;
  const { query } = db;
  const seen: Statement[] = [];
  db.query = (statement, deadline, as) => {
    const ours = turn().queueClass !== "upkeep" && !/^(?:principal|observe)-/.test(statement.name ?? "");
    if (ours && /^(select|with)\b/.test(statement.text)) seen.push(statement);
    return query(statement, deadline, as);
  };
  try {
    await work();
  } finally {
    db.query = query;
  }
  return seen;
}

/** Characters of the longest statement that a transaction sent while `work` ran. */
export async function longestSent({ runtime }: Pick<App, "runtime">, work: () => Promise<unknown>): Promise<number> {
  const { db } = runtime;
  const { transaction } = db;
  let longest = 0;
  const noted: Database["transaction"] = (steps) =>
    transaction((trx) => {
      const { query } = trx;
      trx.query = (statement) => {
        longest = Math.max(longest, statement.text.length);
        return query(statement);
      };
      return steps(trx);
    });
  db.transaction = noted;
  try {
    await work();
  } finally {
    db.transaction = transaction;
  }
  return longest;
}

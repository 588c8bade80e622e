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

/** The texts that transactions sent while `work` ran. */
export async function textsSent({ runtime }: Pick<App, "runtime">, work: () => Promise<unknown>): Promise<string[]> {
  const { db } = runtime;
  const { transaction } = db;
  const seen: string[] = [];
  const noted: Database["transaction"] = (steps) =>
    transaction((trx) => {
      const { query } = trx;
      trx.query = (statement) => {
        seen.push(statement.text);
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
  return seen;
}

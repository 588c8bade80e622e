import type { Database, Statement } from "../../../db/open.ts";
import { getConnectionRequest } from "../../../db/pool/context.ts";
import type { App } from "../../../server/app.ts";

/**
 * Collects the statements that read the database while `work` runs, without statements of the credential check and of
 * jobs. Background writes, such as the time of last use, are not reads.
 */
export async function collectReads({ runtime }: App, work: () => Promise<unknown>): Promise<Statement[]> {
  const { db } = runtime;
  const { query } = db;
  const seen: Statement[] = [];
  db.query = (statement, deadline, as) => {
    const ours =
      getConnectionRequest().queueClass !== "upkeep" && !/^(?:principal|observe)-/.test(statement.name ?? "");
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

/**
 * Returns the length in characters of the longest statement that a transaction of one organization sent while `work`
 * ran. A transaction belongs to an organization if a statement has the organization's id as a value. The process
 * serves other organizations meanwhile, and a job works for all of them.
 */
export async function measureLongestStatement(
  { runtime }: Pick<App, "runtime">,
  organizationId: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const { db } = runtime;
  const { transaction } = db;
  let longest = 0;
  const noted: Database["transaction"] = (steps) => {
    const sent: Statement[] = [];
    return transaction((trx) => {
      const { query } = trx;
      trx.query = (statement, limit) => {
        sent.push(statement);
        return query(statement, limit);
      };
      return steps(trx);
    }).finally(() => {
      if (sent.some(({ values }) => values?.includes(organizationId)))
        longest = Math.max(longest, ...sent.map(({ text }) => text.length));
    });
  };
  db.transaction = noted;
  try {
    await work();
  } finally {
    db.transaction = transaction;
  }
  return longest;
}

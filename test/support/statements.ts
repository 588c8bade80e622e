import type { Statement } from "../../db/open.ts";
import type { App } from "../../server/app.ts";

/** What was read from the database while `work` ran, but for the credential; what is noted in the background is written. */
export async function statementsOf({ runtime }: App, work: () => Promise<unknown>): Promise<Statement[]> {
  const { db } = runtime;
  const { query } = db;
  const seen: Statement[] = [];
  db.query = (statement, deadline) => {
    if (!statement.name?.startsWith("principal-") && /^(select|with)\b/.test(statement.text)) seen.push(statement);
    return query(statement, deadline);
  };
  try {
    await work();
  } finally {
    db.query = query;
  }
  return seen;
}

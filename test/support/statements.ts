import type { Statement } from "../../db/open.ts";
import type { App } from "../../server/app.ts";

/** What was sent to the database while `work` ran, but for the look-up of the credential. */
export async function statementsOf({ runtime }: App, work: () => Promise<unknown>): Promise<Statement[]> {
  const { db } = runtime;
  const { query } = db;
  const seen: Statement[] = [];
  db.query = (statement, deadline) => {
    if (!statement.name?.startsWith("principal-")) seen.push(statement);
    return query(statement, deadline);
  };
  try {
    await work();
  } finally {
    db.query = query;
  }
  return seen;
}

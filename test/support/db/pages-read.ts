import { StatementTimeoutError } from "../../../db/errors/unavailable.ts";
import type { App } from "../../../server/app.ts";
import type { Tenant } from "../server.ts";
import type { PlanStep } from "./plan-rows.ts";

type Measured = PlanStep & { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/**
 * Measures the points of a document and the pages that its statements read. The statements are only explained, so the
 * response has no rows.
 */
export async function countPagesRead(
  { runtime }: App,
  { graphql }: Pick<Tenant, "graphql">,
  document: string,
): Promise<{ points: number; pages: number }> {
  const { db } = runtime;
  const { query } = db;
  let pages = 0;
  db.query = async (statement, deadline, turn) => {
    const looksForText = statement.text.startsWith("with seen");
    if (!looksForText && !statement.text.startsWith("select case when")) return query(statement, deadline, turn);
    // A statement that the clock ends is followed by a statement that reads a limited number of bytes.
    if (turn?.limit !== undefined) throw new StatementTimeoutError("after its limit");
    const text = `explain (analyze, buffers, timing off, format json) ${statement.text}`;
    const [row] = await query<Record<string, [{ Plan: Measured }]>>({ text, values: statement.values ?? [] });
    const plan = row?.["QUERY PLAN"]?.[0].Plan;
    pages += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
    // The result decides whether another statement follows.
    return looksForText ? query(statement, deadline, turn) : [];
  };
  try {
    const { headers } = await graphql(document);
    return { points: Number(headers.get("X-Complexity")), pages };
  } finally {
    db.query = query;
  }
}

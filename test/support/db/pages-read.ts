import { TookTooLong } from "../../../db/errors/unavailable.ts";
import type { App } from "../../../server/app.ts";
import type { Tenant } from "../server.ts";
import type { Step } from "./plan-rows.ts";

type Measured = Step & { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** The points of a document, and the pages that its statements read. It is not answered: its statements are only explained. */
export async function pagesRead(
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
    // A statement that is ended by the clock is followed by one that reads a bounded number of bytes.
    if (turn?.limit !== undefined) throw new TookTooLong("after its limit");
    const text = `explain (analyze, buffers, timing off, format json) ${statement.text}`;
    const [row] = await query<Record<string, [{ Plan: Measured }]>>({ text, values: statement.values ?? [] });
    const plan = row?.["QUERY PLAN"]?.[0].Plan;
    pages += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
    // Its answer says whether another follows.
    return looksForText ? query(statement, deadline, turn) : [];
  };
  try {
    const { headers } = await graphql(document);
    return { points: Number(headers.get("X-Complexity")), pages };
  } finally {
    db.query = query;
  }
}

import { expect } from "chai";
import { TookTooLong } from "../db/errors/unavailable.ts";
import type { App } from "../server/app.ts";
import { dearDocuments } from "./support/dearest-documents.ts";
import { fillHostile } from "./support/hostile-tenant.ts";
import type { Step } from "./support/plan-rows.ts";
import { freshOrganization, sharedServer, type Tenant } from "./support/server.ts";

/** Pages that a statement may read for each point, and beside that: about a millisecond's worth, and what it takes to find anything. */
const [PAGES_A_POINT, PAGES] = [25, 1_000];
const SIZE = { issues: 24, comments: 4, sessions: 40, events: 1_500, chain: 100, long: 3 };

type Measured = Step & { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** The points of a document, and the pages that its statements read. It is not answered: its statements are only explained. */
async function workOf(
  { runtime }: App,
  { graphql }: Tenant,
  document: string,
): Promise<{ points: number; pages: number }> {
  const { db } = runtime;
  const { query } = db;
  let pages = 0;
  db.query = async (statement, deadline, turn) => {
    if (!statement.text.startsWith("select case when")) return query(statement, deadline, turn);
    // What is ended by the clock is followed by a statement that reads a bounded number of bytes.
    if (turn?.limit !== undefined) throw new TookTooLong("after its limit");
    const text = `explain (analyze, buffers, timing off, format json) ${statement.text}`;
    const [row] = await query<Record<string, [{ Plan: Measured }]>>({ text, values: statement.values ?? [] });
    const plan = row?.["QUERY PLAN"]?.[0].Plan;
    pages += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
    return [];
  };
  try {
    const { headers } = await graphql(document);
    return { points: Number(headers.get("X-Complexity")), pages };
  } finally {
    db.query = query;
  }
}

describe("the work of a request", () => {
  it("is in proportion to its points, of every root field over what a hostile tenant stores", async () => {
    const app = await sharedServer();
    const tenant = await freshOrganization(app);
    const { sessionId, eventId } = await fillHostile(tenant, SIZE);
    const { issues, comments } = await tenant.gql(
      "{ issues(first: 1) { nodes { id } } comments(first: 1) { nodes { id } } }",
    );
    const issue = issues.nodes[0].id;
    const places = {
      issue,
      node: issue,
      comment: comments.nodes[0].id,
      recordedSession: sessionId,
      recordedEvent: eventId,
    };
    const dear: string[] = [];
    let worked = 0;
    let unpriced = 0;
    for (const { root, query } of dearDocuments(places)) {
      const { points, pages } = await workOf(app, tenant, query);
      if (pages > 0) worked += 1;
      if (pages > PAGES + PAGES_A_POINT * points)
        dear.push(`${root}: ${pages} pages, ${points} points: ${query.slice(0, 300)}`);
      if (pages > PAGES + PAGES_A_POINT * 2) unpriced += 1;
    }
    expect(dear, dear.join("\n")).to.deep.equal([]);
    // Had all of them cost two points, some would have been found.
    expect([worked > 150, unpriced > 5]).to.deep.equal([true, true]);
  }).timeout(300_000);
});

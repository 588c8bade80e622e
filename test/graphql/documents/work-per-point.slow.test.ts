import { expect } from "chai";
import { countPagesRead } from "../../support/db/pages-read.ts";
import { generateExpensiveDocuments } from "../../support/graphql/dearest-documents.ts";
import { fillHostile } from "../../support/hostile/hostile-tenant.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";

/**
 * Pages that a statement may read per point, which take about a millisecond, and a base for finding anything at all.
 */
const [PAGES_A_POINT, PAGES] = [25, 1_000];
const SIZE = { issues: 24, comments: 4, sessions: 40, events: 1_500, chain: 100, long: 3 };

describe("the work of a GraphQL request", () => {
  it("is in proportion to its points for every root field on hostile data", async () => {
    const app = await startSharedServer();
    const tenant = await createOrganization(app);
    const { sessionId, eventId } = await fillHostile(tenant, SIZE);
    // Until the statistics contain the organization, finding one row may read all of the organization's rows.
    await app.runtime.db.as("upkeep", () => app.runtime.db.query({ text: "analyze" }));
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
    for (const { root, query } of generateExpensiveDocuments(places)) {
      const { points, pages } = await countPagesRead(app, tenant, query);
      if (pages > 0) worked += 1;
      if (pages > PAGES + PAGES_A_POINT * points)
        dear.push(`${root}: ${pages} pages, ${points} points: ${query.slice(0, 300)}`);
      if (pages > PAGES + PAGES_A_POINT * 2) unpriced += 1;
    }
    expect(dear, dear.join("\n")).to.deep.equal([]);
    // The control: with a fixed price of two points, some documents would have exceeded the limit.
    expect([worked > 150, unpriced > 2]).to.deep.equal([true, true]);
  }).timeout(300_000);
});

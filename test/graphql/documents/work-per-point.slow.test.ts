import { expect } from "chai";
import { pagesRead } from "../../support/db/pages-read.ts";
import { dearDocuments } from "../../support/graphql/dearest-documents.ts";
import { fillHostile } from "../../support/hostile/hostile-tenant.ts";
import { freshOrganization, sharedServer } from "../../support/server.ts";

/** Pages that a statement may read for each point, and beside that: about a millisecond's worth, and what it takes to find anything. */
const [PAGES_A_POINT, PAGES] = [25, 1_000];
const SIZE = { issues: 24, comments: 4, sessions: 40, events: 1_500, chain: 100, long: 3 };

describe("the work of a request", () => {
  it("is in proportion to its points, of every root field over what a hostile tenant stores", async () => {
    const app = await sharedServer();
    const tenant = await freshOrganization(app);
    const { sessionId, eventId } = await fillHostile(tenant, SIZE);
    // Until an organization is in the statistics, finding one row may read all of its rows.
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
    for (const { root, query } of dearDocuments(places)) {
      const { points, pages } = await pagesRead(app, tenant, query);
      if (pages > 0) worked += 1;
      if (pages > PAGES + PAGES_A_POINT * points)
        dear.push(`${root}: ${pages} pages, ${points} points: ${query.slice(0, 300)}`);
      if (pages > PAGES + PAGES_A_POINT * 2) unpriced += 1;
    }
    expect(dear, dear.join("\n")).to.deep.equal([]);
    // Had all of them cost two points, some would have been found.
    expect([worked > 150, unpriced > 2]).to.deep.equal([true, true]);
  }).timeout(300_000);
});

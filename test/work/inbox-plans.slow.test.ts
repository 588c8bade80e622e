import { expect } from "chai";
import { fillWaiting, insertRows, SESSIONS } from "../../bench/inbox/fill.ts";
import { countRowsRead } from "../support/db/plan-rows.ts";
import { collectReads } from "../support/db/statements.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

/** Number of entries from one source, from all seven sources, and on a page. */
const [MOST, ALL, PAGE] = [500, 3_500, 50];

const PUT_AWAY = `insert into "inboxState" ("organizationId", "userId", id, since, "doneAt", "updatedAt")
  select $1, (select "creatorId" from issue where "organizationId" = $1 limit 1), gen_random_uuid(), now(), now(), now()
  from generate_series(1, 3000)`;

describe("an inbox with the maximum number of entries from every source", () => {
  it("reads a limited number of rows per source and texts of one page only, with outdated planner statistics", async () => {
    const { app, end } = await startOwnServer();
    const { db } = app.runtime;
    const space = await createWorkspaceIn(await createOrganization(app));
    await insertRows(db, space.organizationId, { ...SESSIONS, count: 10_000 });
    await fillWaiting(db, space);
    await db.query({ text: PUT_AWAY, values: [space.organizationId] });
    const query = `{ inbox(first: ${PAGE}) { nodes { id type question readAt issue { title } failureGroup { message } } } }`;
    let nodes: any[] = [];
    const statements = await collectReads(app, async () => {
      ({ nodes } = (await space.gql(query)).inbox);
    });
    expect(nodes.filter(({ question }) => question)).to.have.length(PAGE);
    const [inbox, ...others] = statements.filter(({ text }) => text.includes("inboxState"));
    if (!inbox) throw new Error("no statement");
    expect(others).to.deep.equal([]);
    const read = await countRowsRead(app, inbox);
    expect(read["compared"] ?? 0, "pairs that a join left out").to.be.lessThan(ALL);
    expect(read["inboxState"], "marks").to.be.lessThan(3_000 + ALL);
    expect(read["issue"], "issues").to.be.lessThan(2 * MOST + 5 * PAGE);
    expect(read["recorded_failure_group"], "groups").to.be.lessThan(3 * MOST);
    expect(read["recorded_session"], "sessions").to.be.lessThan(5 * MOST);
    await end();
  });
});

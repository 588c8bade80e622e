import { expect } from "chai";
import { fillWaiting, insert, SESSIONS } from "../../bench/inbox/fill.ts";
import { rowsRead } from "../support/db/plan-rows.ts";
import { statementsOf } from "../support/db/statements.ts";
import { ownServer } from "../support/own-server.ts";
import { freshOrganization } from "../support/server.ts";
import { workspaceOf } from "../support/workspace.ts";

/** Entries of one source, and of all seven; a page of them. */
const [MOST, ALL, PAGE] = [500, 3_500, 50];

const PUT_AWAY = `insert into "inboxState" ("organizationId", "userId", id, since, "doneAt", "updatedAt")
  select $1, (select "creatorId" from issue where "organizationId" = $1 limit 1), gen_random_uuid(), now(), now(), now()
  from generate_series(1, 3000)`;

describe("an inbox to which every source gives as much as it may", () => {
  it("reads a bound of each source, what the caller did once, and texts of a page alone, with statistics that lag behind", async () => {
    const { app, end } = await ownServer();
    const { db } = app.runtime;
    const space = await workspaceOf(await freshOrganization(app));
    await insert(db, space.organizationId, { ...SESSIONS, count: 10_000 });
    await fillWaiting(db, space);
    await db.query({ text: PUT_AWAY, values: [space.organizationId] });
    const query = `{ inbox(first: ${PAGE}) { nodes { id type question readAt issue { title } failureGroup { message } } } }`;
    let nodes: any[] = [];
    const statements = await statementsOf(app, async () => {
      ({ nodes } = (await space.gql(query)).inbox);
    });
    expect(nodes.filter(({ question }) => question)).to.have.length(PAGE);
    const [inbox, ...others] = statements.filter(({ text }) => text.includes("inboxState"));
    if (!inbox) throw new Error("no statement");
    expect(others).to.deep.equal([]);
    const read = await rowsRead(app, inbox);
    expect(read["compared"] ?? 0, "pairs that a join left out").to.be.lessThan(ALL);
    expect(read["inboxState"], "marks").to.be.lessThan(3_000 + ALL);
    expect(read["issue"], "issues").to.be.lessThan(2 * MOST + 5 * PAGE);
    expect(read["recorded_failure_group"], "groups").to.be.lessThan(3 * MOST);
    expect(read["recorded_session"], "sessions").to.be.lessThan(5 * MOST);
    await end();
  });
});

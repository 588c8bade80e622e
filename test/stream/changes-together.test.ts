import { expect } from "chai";
import { excludeFromComparison } from "../support/db/derived.ts";
import { sendGraphQL, startServer, startSharedServer } from "../support/server.ts";
import { createWorkspace, ISSUE_FIELDS, performMutation, toRefusal, type Workspace } from "../support/workspace.ts";

const range = (from: number, length: number) => Array.from({ length }, (_, at) => from + at);

/** Sends many creations in parallel. Every fifth creation contains `fault`. */
const createMany = (space: Workspace, count: number, fault: object) =>
  Promise.all(
    range(0, count).map((at) => {
      const input = { teamId: space.teamId, title: `Issue ${at}`, ...(at % 5 === 4 && fault) };
      return performMutation(space, "issueCreate", { input }, "lastSyncId issue { number }");
    }),
  );

describe("changes in one shared transaction", () => {
  it("fail individually: the others get numbers without a gap", async () => {
    const space = await createWorkspace();
    const last = await space.last();
    const replies = await createMany(space, 50, { stateId: space.teamId });
    const made = replies.flatMap(({ data }) => data?.issueCreate ?? []);
    expect(made.map(({ issue }) => issue.number).sort((a, b) => a - b)).to.deep.equal(range(1, 40));
    expect(made.map(({ lastSyncId }) => lastSyncId).sort((a, b) => a - b)).to.deep.equal(range(last + 1, 40));
    expect((await space.log(last)).map(({ lastSyncId }) => lastSyncId)).to.deep.equal(range(last + 1, 40));
  });

  it("fail individually also when the database refuses a change", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const replies = await createMany(space, 30, { id });
    const made = replies.flatMap(({ data }) => data?.issueCreate ?? []);
    expect(made.map(({ issue }) => issue.number).sort((a, b) => a - b)).to.deep.equal(range(2, 24));
    const refused = replies.flatMap((reply) => (reply.errors ? toRefusal(reply).code : []));
    expect(refused).to.deep.equal(Array(6).fill("CONFLICT"));
  });

  it("see earlier changes: a label deleted earlier is on no issue", async () => {
    const space = await createWorkspace();
    const { issueLabel } = await space.does("issueLabelCreate", { input: { name: "x" } }, "issueLabel { id }");
    await Promise.allSettled([
      ...range(0, 10).map(() => space.issue({ labelIds: [issueLabel.id] })),
      space.does("issueLabelDelete", { id: issueLabel.id }),
      ...range(0, 10).map(() => space.issue({ labelIds: [issueLabel.id] })),
    ]);
    const { issues } = await space.gql("{ issues { nodes { labelIds } } }");
    expect(issues.nodes.flatMap(({ labelIds }: { labelIds: string[] }) => labelIds)).to.deep.equal([]);
  });
});

describe("the row cache of small tables", () => {
  it("is not used after another server has changed a row", async function () {
    const { runtime } = await startSharedServer();
    if (runtime.db.engine === "embedded") this.skip(); // Only one process can open an embedded database.
    const space = await createWorkspace();
    const { url } = await startServer();
    const query = `mutation ($id: String) { teamUpdate(id: "ENG", input: { defaultIssueStateId: $id }) { success } }`;
    for (const name of ["Todo", "Done", "Backlog", "In Progress"]) {
      await space.issue();
      await sendGraphQL(url, space.apiKey, { query, variables: { id: space.states[name] } });
      expect((await space.issue()).state.name).to.equal(name);
    }
  });

  it("does not survive changes by its own server", async () => {
    const space = await createWorkspace();
    await space.issue();
    await space.does("teamUpdate", {
      id: space.teamId,
      input: { defaultIssueStateId: space.states["Todo"], key: "NEW" },
    });
    const { issue } = await space.does(
      "issueCreate",
      { input: { teamId: space.teamId, title: "x" } },
      `issue { ${ISSUE_FIELDS} }`,
    );
    expect([issue.identifier, issue.state.name]).to.deep.equal(["NEW-2", "Todo"]);
  });

  it("leads to a clear error instead of a 500 after a row was deleted in the database by hand", async () => {
    const space = await createWorkspace();
    const { runtime } = await startSharedServer();
    excludeFromComparison(space.organizationId);
    const { issueLabel } = await space.does("issueLabelCreate", { input: { name: "x" } }, "issueLabel { id }");
    await space.issue({ labelIds: [issueLabel.id] });
    await space.issue();
    const sql = (text: string) => runtime.db.query({ text, values: [space.organizationId] });
    await sql(`delete from "issueLabelLink" where "organizationId" = $1`);
    await sql(`delete from "issueLabel" where "organizationId" = $1`);
    const input = { teamId: space.teamId, title: "x", labelIds: [issueLabel.id] };
    expect((await space.refuses("issueCreate", { input })).code).to.equal("INPUT_ERROR");
    await sql(`update team set "issueCounter" = 0 where "organizationId" = $1`);
    await space.does("teamUpdate", { id: space.teamId, input: { name: "forget" } });
    const refusal = await space.refuses("issueCreate", { input: { teamId: space.teamId, title: "x" } });
    expect(refusal).to.include({ code: "CONFLICT", field: "number" });
  });
});

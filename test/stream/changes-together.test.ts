import { expect } from "chai";
import { writtenByHand } from "../support/db/derived.ts";
import { sendGraphQL, sharedServer, startServer } from "../support/server.ts";
import { freshWorkspace, ISSUE, perform, refusalOf, type Workspace } from "../support/workspace.ts";

const range = (from: number, length: number) => Array.from({ length }, (_, at) => from + at);

/** Sends many creations at once; every fifth has this fault. */
const createMany = (space: Workspace, count: number, fault: object) =>
  Promise.all(
    range(0, count).map((at) => {
      const input = { teamId: space.teamId, title: `Issue ${at}`, ...(at % 5 === 4 && fault) };
      return perform(space, "issueCreate", { input }, "lastSyncId issue { number }");
    }),
  );

describe("changes made at the same time", () => {
  it("fail alone: the others get their numbers without a gap", async () => {
    const space = await freshWorkspace();
    const last = await space.last();
    const replies = await createMany(space, 50, { stateId: space.teamId });
    const made = replies.flatMap(({ data }) => data?.issueCreate ?? []);
    expect(made.map(({ issue }) => issue.number).sort((a, b) => a - b)).to.deep.equal(range(1, 40));
    expect(made.map(({ lastSyncId }) => lastSyncId).sort((a, b) => a - b)).to.deep.equal(range(last + 1, 40));
    expect((await space.log(last)).map(({ lastSyncId }) => lastSyncId)).to.deep.equal(range(last + 1, 40));
  });

  it("fail alone also when the database refuses one", async () => {
    const space = await freshWorkspace();
    const { id } = await space.issue();
    const replies = await createMany(space, 30, { id });
    const made = replies.flatMap(({ data }) => data?.issueCreate ?? []);
    expect(made.map(({ issue }) => issue.number).sort((a, b) => a - b)).to.deep.equal(range(2, 24));
    const refused = replies.flatMap((reply) => (reply.errors ? refusalOf(reply).code : []));
    expect(refused).to.deep.equal(Array(6).fill("CONFLICT"));
  });

  it("see what those before them did: a label that is deleted is on no issue", async () => {
    const space = await freshWorkspace();
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
  it("is never acted on when another server has changed a row since", async function () {
    const { runtime } = await sharedServer();
    if (runtime.db.engine === "embedded") this.skip(); // one process alone may open it
    const space = await freshWorkspace();
    const { url } = await startServer();
    const query = `mutation ($id: String) { teamUpdate(id: "ENG", input: { defaultIssueStateId: $id }) { success } }`;
    for (const name of ["Todo", "Done", "Backlog", "In Progress"]) {
      await space.issue();
      await sendGraphQL(url, space.apiKey, { query, variables: { id: space.states[name] } });
      expect((await space.issue()).state.name).to.equal(name);
    }
  });

  it("does not outlive changes of its own server", async () => {
    const space = await freshWorkspace();
    await space.issue();
    await space.does("teamUpdate", {
      id: space.teamId,
      input: { defaultIssueStateId: space.states["Todo"], key: "NEW" },
    });
    const { issue } = await space.does(
      "issueCreate",
      { input: { teamId: space.teamId, title: "x" } },
      `issue { ${ISSUE} }`,
    );
    expect([issue.identifier, issue.state.name]).to.deep.equal(["NEW-2", "Todo"]);
  });

  it("leads to a clear answer, not a 500, when a row was deleted by hand in the database", async () => {
    const space = await freshWorkspace();
    const { runtime } = await sharedServer();
    writtenByHand(space.organizationId);
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

import { LinearClient } from "@linear/sdk";
import { expect } from "chai";
import { removeOldChanges } from "../../../server/jobs/streams.ts";
import { startSharedServer } from "../../support/server.ts";
import { createAgent } from "../../support/tracker/work.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../../support/workspace.ts";

const FIELDS = `event actor { id app } onBehalfOf { id } fromTitle toTitle updatedDescription fromPriority toPriority
  fromEstimate toEstimate fromDueDate toDueDate fromState { name } toState { name } fromAssignee { id } toAssignee { id }
  fromDelegate { id } toDelegate { id } fromTeam { key } toTeam { key } fromIdentifier toIdentifier fromProject { name }
  toProject { name } fromCycle { number } toCycle { number } fromParent { identifier } toParent { identifier }
  addedLabels { name } removedLabels { name } archived trashed relationChanges { type identifier }`;

/** Returns the members of an entry that are neither null nor empty. */
const said = (entry: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(entry).filter(
      ([name, value]) => !["actor", "onBehalfOf"].includes(name) && value !== null && `${value}` !== "",
    ),
  );

/** Returns the history of an issue, oldest entry first. */
async function historyOf(space: Pick<Workspace, "gql">, id: string): Promise<any[]> {
  const query = `query ($id: String!) { issue(id: $id) { history(first: 40) { nodes { id createdAt ${FIELDS} } } } }`;
  return (await space.gql(query, { id })).issue.history.nodes.toReversed();
}

const saidOf = async (space: Workspace, id: string) =>
  (await historyOf(space, id)).map(({ id: _, createdAt: __, ...entry }) => said(entry));

describe("the last edit of an issue", () => {
  it("is the newest change of title or description, with author and time, despite later other changes", async () => {
    const space = await createWorkspace();
    const agent = await createAgent(space, "codex");
    const { id } = await space.issue({ title: "One" });
    const query = `query ($id: String!) { issue(id: $id) { lastEdit { createdAt toTitle updatedDescription actor { name } }
      history(first: 10) { nodes { createdAt toTitle updatedDescription actor { name } } } } }`;
    const read = async () => (await space.gql(query, { id })).issue;
    await space.does("issueUpdate", { id, input: { priority: 2 } });
    expect((await read()).lastEdit).to.equal(null);
    await space.does("issueUpdate", { id, input: { title: "Two" } });
    await agent.does("issueUpdate", { id, input: { description: "Text.", priority: 1 } }, "success");
    for (const priority of [3, 4]) await space.does("issueUpdate", { id, input: { priority } });
    const { lastEdit, history } = await read();
    expect(lastEdit).to.deep.equal(history.nodes[2]);
    expect([lastEdit.updatedDescription, lastEdit.actor.name]).to.deep.equal([true, "codex"]);
    await space.does("issueUpdate", { id, input: { title: "Three" } });
    expect((await read()).lastEdit).to.include({ toTitle: "Three", updatedDescription: null });
  });
});

describe("the history of an issue", () => {
  it("lists each change with the previous value", async () => {
    const space = await createWorkspace();
    const { id, creator } = await space.issue({ title: "One", priority: 2 });
    const label = async (name: string) =>
      (await space.does("issueLabelCreate", { input: { name } }, "issueLabel { id }")).issueLabel.id;
    const [red, blue] = [await label("red"), await label("blue")];
    const project = (
      await space.does("projectCreate", { input: { name: "P", teamIds: [space.teamId] } }, "project { id }")
    ).project.id;
    const span = { startsAt: "2026-01-01T00:00:00Z", endsAt: "2030-01-02T00:00:00Z" };
    const cycle = (await space.does("cycleCreate", { input: { teamId: space.teamId, ...span } }, "cycle { id }")).cycle;
    const parent = await space.issue({ title: "Whole" });
    const does = (input: object) => space.does("issueUpdate", { id, input });
    await does({ title: "Two", priority: 1, description: "Long" });
    await does({ stateId: space.states["Todo"], assigneeId: creator.id });
    await does({ labelIds: [red], estimate: 3, dueDate: "2027-01-01" });
    await does({ labelIds: [blue], estimate: null, dueDate: null, assigneeId: null });
    await does({ projectId: project, cycleId: cycle.id, parentId: parent.id });
    await does({ projectId: null });
    await space.does("issueArchive", { id });
    await space.does("issueUnarchive", { id });
    await space.does("issueDelete", { id });
    await space.does("issueUnarchive", { id });
    const user = { id: creator.id };
    expect(await saidOf(space, id)).to.deep.equal([
      { event: "issue.created" },
      {
        event: "issue.updated",
        fromTitle: "One",
        toTitle: "Two",
        fromPriority: 2,
        toPriority: 1,
        updatedDescription: true,
      },
      { event: "issue.updated", fromState: { name: "Backlog" }, toState: { name: "Todo" }, toAssignee: user },
      { event: "issue.updated", addedLabels: [{ name: "red" }], toEstimate: 3, toDueDate: "2027-01-01" },
      {
        event: "issue.updated",
        addedLabels: [{ name: "blue" }],
        removedLabels: [{ name: "red" }],
        fromEstimate: 3,
        fromDueDate: "2027-01-01",
        fromAssignee: user,
      },
      { event: "issue.updated", toProject: { name: "P" }, toCycle: { number: 1 }, toParent: { identifier: "ENG-2" } },
      { event: "issue.updated", fromProject: { name: "P" } },
      { event: "issue.archived", archived: true },
      { event: "issue.unarchived", archived: false },
      { event: "issue.deleted", trashed: true },
      { event: "issue.unarchived", trashed: false },
    ]);
    for (const { actor } of await historyOf(space, id)) expect(actor).to.deep.equal({ id: creator.id, app: false });
  });

  it("lists moves between teams, with who moved the issue", async () => {
    const space = await createWorkspace();
    const other = await createWorkspaceIn(space, "OPS");
    const { id } = await space.issue();
    await space.does("issueUpdate", { id, input: { teamId: other.teamId } });
    const [, moved] = await saidOf(space, "ENG-1");
    expect(moved).to.deep.include({ fromTeam: { key: "ENG" }, toTeam: { key: "OPS" } });
    expect(moved).to.include({ fromIdentifier: "ENG-1", toIdentifier: "OPS-1" });
    expect(moved).to.have.property("fromState");
  });

  it("lists claims by agents with the assignee, and changes by the server", async () => {
    const space = await createWorkspace();
    const { id, creator } = await space.issue();
    const agent = await createAgent(space);
    await agent.claim({ id });
    await agent.does("issueRelease", { id });
    const [, claimed, released] = await historyOf(space, id);
    expect(said(claimed)).to.deep.include({ event: "issue.claimed", toDelegate: { id: agent.id } });
    expect(said(released)).to.deep.include({ event: "issue.released", fromDelegate: { id: agent.id } });
    expect(claimed).to.deep.include({ actor: { id: agent.id, app: true }, onBehalfOf: { id: creator.id } });
  });

  it("lists relations on both issues, also to deleted issues", async () => {
    const space = await createWorkspace();
    const [one, two] = [await space.issue(), await space.issue()];
    const related = { type: "blocks", issueId: one.id, relatedIssueId: two.id };
    const { issueRelation } = await space.does("issueRelationCreate", { input: related }, "issueRelation { id }");
    await space.does("issueRelationUpdate", { id: issueRelation.id, input: { type: "discovered" } });
    await space.does("issueRelationDelete", { id: issueRelation.id });
    const changes = async (id: string) => (await saidOf(space, id)).flatMap((entry) => entry["relationChanges"] ?? []);
    const said = (identifier: string, ...types: string[]) => types.map((type) => ({ type, identifier }));
    expect(await changes(one.id)).to.deep.equal(
      said("ENG-2", "addBlocks", "removeBlocks", "addDiscovered", "removeDiscovered"),
    );
    expect(await changes(two.id)).to.deep.equal(
      said("ENG-1", "addBlockedBy", "removeBlockedBy", "addLedTo", "removeLedTo"),
    );
    await space.does("issueDelete", { id: two.id, permanentlyDelete: true });
    expect((await changes(one.id))[0]).to.deep.equal({ type: "addBlocks", identifier: two.id });
  });

  it("is paged in both directions without gaps or repeats, newest first", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    for (let n = 0; n < 12; n += 1) await space.does("issueUpdate", { id, input: { title: `Title ${n}` } });
    const page = async (args: string) =>
      (
        await space.gql(
          `{ issue(id: "${id}") { history(${args}) { nodes { toTitle } pageInfo { hasNextPage endCursor startCursor } } } }`,
        )
      ).issue.history;
    const seen: (string | null)[] = [];
    for (let after = ""; ; ) {
      const { nodes, pageInfo } = await page(`first: 5${after && `, after: "${after}"`}`);
      seen.push(...nodes.map(({ toTitle }: { toTitle: string | null }) => toTitle));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(seen).to.deep.equal([...Array.from({ length: 12 }, (_, n) => `Title ${11 - n}`), null]);
    expect((await page("last: 2")).nodes).to.deep.equal([{ toTitle: "Title 0" }, { toTitle: null }]);
  });

  it("reaches back as far as the change log is kept", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const { db } = (await startSharedServer()).runtime;
    await db.query({
      text: `update change set "createdAt" = $2 where "organizationId" = $1`,
      values: [space.organizationId, new Date(Date.now() - 91 * 24 * 60 * 60 * 1000)],
    });
    await removeOldChanges(db, 90);
    expect(await historyOf(space, id)).to.deep.equal([]);
    await space.does("issueUpdate", { id, input: { title: "Later" } });
    expect(await saidOf(space, id)).to.deep.equal([
      { event: "issue.updated", fromTitle: "An issue", toTitle: "Later" },
    ]);
  });

  it("is readable by the stock SDK for Linear's API", async () => {
    const space = await createWorkspace();
    const client = new LinearClient({ apiKey: space.apiKey, apiUrl: `${space.url}/graphql` });
    const { id, creator } = await space.issue({ title: "One" });
    const label = (await space.does("issueLabelCreate", { input: { name: "red" } }, "issueLabel { id }")).issueLabel;
    await space.does("issueUpdate", {
      id,
      input: { title: "Two", stateId: space.states["Done"], labelIds: [label.id] },
    });
    const [entry] = (await (await client.issue(id)).history()).nodes;
    expect([entry?.fromTitle, entry?.toTitle, entry?.addedLabels?.[0]?.name]).to.deep.equal(["One", "Two", "red"]);
    expect([(await entry?.fromState)?.name, (await entry?.toState)?.name]).to.deep.equal(["Backlog", "Done"]);
    expect([entry?.actorId, (await entry?.actor)?.id, (await entry?.issue)?.id]).to.deep.equal([
      creator.id,
      creator.id,
      id,
    ]);
    expect(entry?.createdAt).to.be.instanceOf(Date);
  });
});

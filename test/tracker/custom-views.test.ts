import { expect } from "chai";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { inviteGuest } from "../support/members.ts";
import { sendGraphQL, startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const made = async ({ does }: Pick<Workspace, "does">, input: object): Promise<string> =>
  (await does("customViewCreate", { input: { name: "V", ...input } }, "customView { id }")).customView.id;
/** Adds another member and returns the GraphQL client of the member. */
async function member(space: Workspace) {
  const { accessToken } = await inviteGuest(space);
  const graphql = (query: string, variables?: Record<string, unknown>) =>
    sendGraphQL(space.url, `Bearer ${accessToken}`, { query, variables });
  return { graphql, gql: async (...asked: Parameters<typeof graphql>) => (await graphql(...asked)).data };
}
const LIST = "{ customViews { nodes { name shared owner { isMe } } } }";
const events = (log: readonly { event: string; data: { name: string } }[]) =>
  log.filter(({ event }) => event.startsWith("customView")).map(({ event, data }) => `${event} ${data.name}`);

describe("custom views of issues", () => {
  it("are visible only to their owner until shared: in lists, by id and in the log", async () => {
    const space = await createWorkspace();
    const other = await member(space);
    const id = await made(space, { name: "Mine", filterData: { priority: { eq: 1 } } });
    const theirs = async () => (await other.gql(LIST)).customViews.nodes;
    const byId = `{ customView(id: "${id}") { name } }`;
    const byNode = `{ node(id: "${id}") { ... on CustomView { name } } }`;
    expect((await space.gql(LIST)).customViews.nodes).to.deep.equal([
      { name: "Mine", shared: false, owner: { isMe: true } },
    ]);
    expect(await theirs()).to.deep.equal([]);
    expect((await other.graphql(byId)).errors?.[0]?.extensions.code).to.equal("NOT_FOUND");
    expect((await other.gql(byNode)).node).to.equal(null);
    for (const change of [`customViewUpdate(id: "${id}", input: { shared: true })`, `customViewDelete(id: "${id}")`]) {
      const { errors } = await other.graphql(`mutation { ${change} { success } }`);
      expect(errors?.[0]?.extensions.code, change).to.equal("NOT_FOUND");
    }
    await space.does("customViewUpdate", { id, input: { name: "Still mine" } });
    expect(events(await space.log())).to.deep.equal([]);

    await space.does("customViewUpdate", { id, input: { shared: true, name: "Ours" } });
    expect(await theirs()).to.deep.equal([{ name: "Ours", shared: true, owner: { isMe: false } }]);
    const taken = `mutation { customViewUpdate(id: "${id}", input: { shared: false }) { success } }`;
    expect((await other.graphql(taken)).errors?.[0]?.extensions.code).to.equal("FORBIDDEN");
    await other.gql(`mutation { customViewUpdate(id: "${id}", input: { description: "theirs" }) { success } }`);
    await space.does("customViewUpdate", { id, input: { shared: false, name: "A secret" } });
    expect(await theirs()).to.deep.equal([]);
    expect((await space.gql(byId)).customView.name).to.equal("A secret");
    await space.does("customViewDelete", { id });
    expect(events(await space.log())).to.deep.equal([
      "customView.created Ours",
      "customView.updated Ours",
      "customView.deleted Ours",
    ]);
  });

  it("store exactly the filter conditions that a list of issues accepts", async () => {
    const space = await createWorkspace();
    const { id: urgent } = await space.issue({ priority: 1 });
    await space.issue({ priority: 2 });
    const filterData = { priority: { eq: 1 }, createdAt: { gt: "-P1D" }, or: [{ assignee: { null: true } }] };
    const view = await made(space, { filterData });
    const kept = (await space.gql(`{ customView(id: "${view}") { filterData } }`)).customView.filterData;
    expect(kept).to.deep.equal(filterData);
    const found = await space.gql("query ($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }", {
      filter: kept,
    });
    expect(found.issues.nodes).to.deep.equal([{ id: urgent }]);
    const before = await space.last();
    await space.does("customViewUpdate", { id: view, input: { shared: true } });
    await space.does("customViewUpdate", { id: view, input: { filterData } });
    expect(
      (await space.log(before)).map(({ event }) => event),
      "the same conditions are no change",
    ).to.have.length(1);
  });

  for (const [what, filterData, words] of [
    ["an unknown member", { assignee: { nme: { eq: "x" } } }, /at "input.filterData"; assignee: .*"nme"/],
    ["a wrong value", { createdAt: { gt: "soon" } }, /createdAt\.gt: DateTime must be/],
    ["a filter that is nested too deep", nested(8), /nest filters at most/],
    ["a long one", { title: { eq: "x".repeat(20_000) } }, /at most 16 KiB/],
    ["no object", [], /IssueFilter/],
  ] as const) {
    it(`refuse ${what}, and name the place`, async () => {
      const { message } = await (await shared()).refuses("customViewCreate", { input: { name: "V", filterData } });
      expect(message).to.match(words);
    });
  }

  it("are deleted with their team and project, also views of other members", async () => {
    const space = await createWorkspace();
    const other = await member(space);
    const team = (await space.does("teamCreate", { input: { name: "Gone", key: "GONE" } }, "team { id }")).team.id;
    const project = (
      await space.does("projectCreate", { input: { name: "P", teamIds: [space.teamId] } }, "project { id }")
    ).project.id;
    const view = `mutation ($input: CustomViewCreateInput!) { customViewCreate(input: $input) { customView { id } } }`;
    for (const of of [{ teamId: team }, { projectId: project }]) await other.gql(view, { input: { name: "V", ...of } });
    await made(space, { projectId: project, shared: true });
    await space.does("teamDelete", { id: team });
    await space.does("projectDelete", { id: project });
    await emptyTrash((await startSharedServer()).runtime, Date.now() + 31 * 86_400_000);
    expect(
      (await other.gql("{ customViews(includeArchived: true) { nodes { id } } }")).customViews.nodes,
    ).to.have.length(0);
    expect(events(await space.log())).to.deep.equal(["customView.created V", "customView.deleted V"]);
  });
});

/** Returns a filter with this depth of nesting. */
function nested(levels: number): object {
  return levels === 0 ? { null: true } : { parent: nested(levels - 1) };
}

let space: Promise<Workspace> | undefined;
/** Returns one organization that all tests of refused input share. */
const shared = (): Promise<Workspace> => {
  space ??= createWorkspace();
  return space;
};

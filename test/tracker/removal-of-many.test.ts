import { expect } from "chai";
import { DAY_MS } from "../../formats/time.ts";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { longestSent } from "../support/db/statements.ts";
import { sharedServer } from "../support/server.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

/** More than one statement names one by one. */
const MANY = 150;
/** Characters of a statement that does not grow with the rows. */
const SHORT = 10_000;

async function labelled(space: Workspace, names: readonly string[]): Promise<string[]> {
  const made = names.map((name) =>
    space.does("issueLabelCreate", { input: { name, teamId: space.teamId } }, "issueLabel { id }"),
  );
  return (await Promise.all(made)).map(({ issueLabel }) => issueLabel.id);
}

async function fill(space: Workspace, fieldsOf: (at: number) => object): Promise<void> {
  const issues = Array.from({ length: MANY }, (_, at) => ({ teamId: space.teamId, title: `${at}`, ...fieldsOf(at) }));
  for (let from = 0; from < MANY; from += 50)
    await space.does("issueBatchCreate", { input: { issues: issues.slice(from, from + 50) } });
}

const issuesOf = async (space: Workspace, fields: string) => {
  const page = (after?: string) =>
    space.gql(
      `query ($after: String) { issues(first: 100, after: $after) { nodes { title ${fields} } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
  const first = (await page()).issues;
  return [...first.nodes, ...(await page(first.pageInfo.endCursor)).issues.nodes];
};

describe("the removal of what many rows refer to", () => {
  it("takes a label from each issue, leaves the others, and says so of each", async () => {
    const space = await freshWorkspace();
    const [gone = "", even = "", odd = ""] = await labelled(space, ["gone", "even", "odd"]);
    await fill(space, (at) => ({ labelIds: [gone, at % 2 ? odd : even] }));
    const before = await space.last();
    const removal = () => space.does("issueLabelDelete", { id: gone });
    expect(await longestSent(await sharedServer(), removal)).to.be.within(1, SHORT);
    const left = await issuesOf(space, "labels { nodes { id } }");
    expect(left).to.have.length(MANY);
    for (const { title, labels } of left)
      expect(labels.nodes, title).to.deep.equal([{ id: Number(title) % 2 ? odd : even }]);
    const told = (await space.log(before)).filter(({ event }) => event === "issue.updated");
    expect(told).to.have.length(MANY);
    for (const { data, updatedFrom } of told) {
      expect(data.labelIds).to.deep.equal([Number(data.title) % 2 ? odd : even]);
      expect(updatedFrom.labelIds).to.have.members([gone, ...data.labelIds]);
    }
  });

  it("takes a purged project from each of its issues, and nothing else", async () => {
    const space = await freshWorkspace();
    const project = async (name: string) =>
      (await space.does("projectCreate", { input: { name, teamIds: [space.teamId] } }, "project { id }")).project.id;
    const [gone, kept] = [await project("gone"), await project("kept")];
    await fill(space, (at) => ({ projectId: at < 10 ? kept : gone, priority: at % 5 }));
    await space.does("projectDelete", { id: gone });
    const server = await sharedServer();
    const purge = () => emptyTrash(server.runtime, Date.now() + 31 * DAY_MS);
    expect(await longestSent(server, purge)).to.be.within(1, SHORT);
    const left = await issuesOf(space, "priority project { id }");
    expect(left).to.have.length(MANY);
    for (const { title, priority, project: one } of left) {
      expect(one, title).to.deep.equal(Number(title) < 10 ? { id: kept } : null);
      expect(priority).to.equal(Number(title) % 5);
    }
  });
});

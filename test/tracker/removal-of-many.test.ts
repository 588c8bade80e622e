import { expect } from "chai";
import { DAY_MS } from "../../formats/time.ts";
import { emptyTrash } from "../../server/jobs/trash.ts";
import { measureLongestStatement } from "../support/db/statements.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** More rows than one statement lists individually. */
const MANY = 150;
/** Maximum characters of a statement that does not grow with the number of rows. */
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

describe("deleting an entity that many rows refer to", () => {
  it("removes a label from each issue, keeps other labels, and logs a change per issue", async () => {
    const space = await createWorkspace();
    const [gone = "", even = "", odd = ""] = await labelled(space, ["gone", "even", "odd"]);
    await fill(space, (at) => ({ labelIds: [gone, at % 2 ? odd : even] }));
    const before = await space.last();
    const removal = () => space.does("issueLabelDelete", { id: gone });
    expect(await measureLongestStatement(await startSharedServer(), space.organizationId, removal)).to.be.within(
      1,
      SHORT,
    );
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

  it("removes a purged project from each of its issues, and changes nothing else", async () => {
    const space = await createWorkspace();
    const project = async (name: string) =>
      (await space.does("projectCreate", { input: { name, teamIds: [space.teamId] } }, "project { id }")).project.id;
    const [gone, kept] = [await project("gone"), await project("kept")];
    await fill(space, (at) => ({ projectId: at < 10 ? kept : gone, priority: at % 5 }));
    await space.does("projectDelete", { id: gone });
    const server = await startSharedServer();
    const purge = () => emptyTrash(server.runtime, Date.now() + 31 * DAY_MS);
    expect(await measureLongestStatement(server, space.organizationId, purge)).to.be.within(1, SHORT);
    const left = await issuesOf(space, "priority project { id }");
    expect(left).to.have.length(MANY);
    for (const { title, priority, project: one } of left) {
      expect(one, title).to.deep.equal(Number(title) < 10 ? { id: kept } : null);
      expect(priority).to.equal(Number(title) % 5);
    }
  });
});

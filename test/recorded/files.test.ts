import { expect } from "chai";
import { reportCall as report } from "../support/agent-calls.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

const FILES =
  "path added removed edits createdAt updatedAt firstEvent { primitiveName } lastEvent { primitiveName session { externalId } }";
const COMMITS = "id message branch createdAt event { primitiveName } session { externalId }";

const edit = (path: string, before: string, after: string) => ({
  tool: "Edit",
  input: { file_path: path, old_string: before, new_string: after },
  response: {},
});
const committed = (sha: string, subject: string) => ({
  tool: "Bash",
  input: { command: `git commit -m '${subject}'` },
  response: { stdout: `[main ${sha}] ${subject}`, stderr: "", interrupted: false },
});

async function session(space: Workspace, externalId: string, fields: string): Promise<any> {
  const { recordedSessions } = await space.gql(`{ recordedSessions(first: 5) { nodes { id externalId ${fields} } } }`);
  return recordedSessions.nodes.find((each: any) => each.externalId === externalId);
}

describe("files and commits of a recorded session", () => {
  it("are added up by file, by the path below the folder of the session, as soon as they are recorded", async () => {
    const space = await freshWorkspace();
    await report(space, "f1", edit("/work/app/src/a.ts", "a", "b\nc"));
    await report(space, "f1", {
      tool: "Write",
      input: { file_path: "/work/app/src/a.ts", content: "one\ntwo\n" },
      response: { type: "create" },
    });
    await report(space, "f1", edit("/etc/hosts", "x", "y"));
    await report(space, "f1", committed("1a2b3c4", "Add a"));
    await report(space, "f1", committed("2b3c4d5", "Add b"));
    const { files, commits } = await session(
      space,
      "f1",
      `files { nodes { ${FILES} } } commits { nodes { ${COMMITS} } }`,
    );
    expect(files.nodes).to.have.length(2);
    const [a] = files.nodes.filter(({ path }: any) => path === "src/a.ts");
    expect(a).to.include({ path: "src/a.ts", added: 4, removed: 1, edits: 2 });
    expect([a.firstEvent.primitiveName, a.lastEvent.primitiveName]).to.deep.equal(["Edit", "Write"]);
    expect(a.createdAt <= a.updatedAt).to.equal(true);
    expect(a.lastEvent.session.externalId).to.equal("f1");
    expect(files.nodes.map(({ path }: any) => path)).to.include("/etc/hosts");
    expect(commits.nodes.map(({ id, message }: any) => [id, message])).to.deep.equal([
      ["2b3c4d5", "Add b"],
      ["1a2b3c4", "Add a"],
    ]);
    expect(commits.nodes[0]).to.deep.include({
      branch: "main",
      event: { primitiveName: "Bash" },
      session: { externalId: "f1" },
    });
  });

  it("page, in the order that is asked for", async () => {
    const space = await freshWorkspace();
    for (const name of ["a", "b", "c", "a"]) await report(space, "f2", edit(`/work/app/${name}.ts`, "1", "2"));
    const { id } = await session(space, "f2", "");
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const { recordedSession } = await space.gql(
        `query ($id: String!, $after: String) { recordedSession(id: $id) {
          files(first: 1, after: $after, orderBy: updatedAt) { nodes { path edits } pageInfo { hasNextPage endCursor } } } }`,
        { id, after },
      );
      const { nodes, pageInfo } = recordedSession.files;
      seen.push(...nodes.map(({ path, edits }: any) => `${path} ${edits}`));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(seen).to.deep.equal(["a.ts 2", "c.ts 1", "b.ts 1"]);
  });

  it("are those of all linked sessions on an issue, each file once whichever folder a session works in", async () => {
    const space = await freshWorkspace();
    const issue = await space.issue();
    await report(space, "f3", { ...edit("/work/one/src/a.ts", "1", "2"), cwd: "/work/one" });
    await report(space, "f4", { ...edit("/work/two/src/a.ts", "1", "2\n3"), cwd: "/work/two" });
    await report(space, "f4", { ...committed("3c4d5e6", "Add it"), cwd: "/work/two" });
    await report(space, "f5", { ...edit("/work/app/b.ts", "1", "2") });
    for (const name of ["f3", "f4"]) {
      const { id } = await session(space, name, "");
      await space.gql(
        "mutation ($id: String!, $sessionId: String!) { issueClaim(input: { id: $id, sessionId: $sessionId }) { success } }",
        { id: issue.id, sessionId: id },
      );
      await space.gql("mutation ($id: String!) { issueRelease(id: $id) { success } }", { id: issue.id });
    }
    const read = await space.gql(
      `query ($id: String!) { issue(id: $id) { files { nodes { ${FILES} } } commits { nodes { ${COMMITS} } } } }`,
      { id: issue.id },
    );
    expect(read.issue.files.nodes).to.have.length(1);
    expect(read.issue.files.nodes[0]).to.include({ path: "src/a.ts", added: 3, removed: 2, edits: 2 });
    expect(read.issue.commits.nodes.map(({ id, session }: any) => [id, session.externalId])).to.deep.equal([
      ["3c4d5e6", "f4"],
    ]);
  });

  it("are nobody else's", async () => {
    const [space, other] = [await freshWorkspace(), await freshWorkspace()];
    await report(space, "f6", edit("/work/app/a.ts", "1", "2"));
    const { id } = await session(space, "f6", "");
    const query = "query ($id: String!) { recordedSession(id: $id) { files { nodes { path } } } }";
    const read = await other.graphql(query, { id });
    expect(JSON.stringify(read)).to.not.contain("a.ts");
  });
});

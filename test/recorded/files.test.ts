import { expect } from "chai";
import { reportCall as report, sendHook } from "../support/recording/agent-calls.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

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
  it("are grouped by path below the session's folder, as soon as they are recorded", async () => {
    const space = await createWorkspace();
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

  it("are paged in the requested order", async () => {
    const space = await createWorkspace();
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

  it("of an issue are those of all linked sessions, with each file once across folders", async () => {
    const space = await createWorkspace();
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

  it("are hidden from other organizations", async () => {
    const [space, other] = [await createWorkspace(), await createWorkspace()];
    await report(space, "f6", edit("/work/app/a.ts", "1", "2"));
    const { id } = await session(space, "f6", "");
    const query = "query ($id: String!) { recordedSession(id: $id) { files { nodes { path } } } }";
    const read = await other.graphql(query, { id });
    expect(JSON.stringify(read)).to.not.contain("a.ts");
  });
});

describe("changes of a file", () => {
  const CHANGES =
    "nodes { id path change added removed lines event { turn { args } } session { externalId } } pageInfo { hasNextPage endCursor }";
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
    await sendHook(space, {
      session_id: "c1",
      prompt_id: "c1",
      cwd: "/work/one",
      prompt: "Mend it",
      hook_event_name: "UserPromptSubmit",
    });
    await report(space, "c1", { ...edit("/work/one/src/parser.ts", "a", "const a = 1;"), cwd: "/work/one" });
    await report(space, "c2", {
      ...edit("/work/two/src/parser.ts", "a", "const b = 2;\nconst a = 1;"),
      cwd: "/work/two",
    });
    await report(space, "c2", { ...edit("/work/two/lib/parser.ts", "a", "c"), cwd: "/work/two" });
    await report(space, "c2", { ...edit("/work/two/lib/myparser.ts", "a", "d"), cwd: "/work/two" });
    const patch = "*** Begin Patch\n*** Update File: src/parser.ts\n@@\n-a\n+const e = 5;\n*** End Patch";
    const codex = {
      session_id: "c3",
      turn_id: "c3",
      cwd: "/work/three",
      tool_name: "apply_patch",
      tool_use_id: "call_1",
    };
    await sendHook(space, { ...codex, tool_input: { command: patch }, hook_event_name: "PreToolUse" }, "codex");
    await sendHook(
      space,
      { ...codex, tool_input: { command: patch }, tool_response: "Success.", hook_event_name: "PostToolUse" },
      "codex",
    );
  });
  const found = async (path: string, args = "", of = space) =>
    (await of.gql(`query ($path: String!) { recordedFiles(path: $path${args}) { ${CHANGES} } }`, { path }))
      .recordedFiles;
  const paths = async (path: string, args = "") =>
    (await found(path, args)).nodes.map((each: any) => `${each.session.externalId} ${each.path}`);

  it("are found by the last segments of a path, newest first", async () => {
    const all = ["c3 src/parser.ts", "c2 src/parser.ts", "c1 src/parser.ts"];
    expect(await paths("src/parser.ts")).to.deep.equal(all);
    expect(await paths("./src//parser.ts")).to.deep.equal(all);
    expect(await paths("two/src/parser.ts")).to.deep.equal([all[1]]);
    expect(await paths("/work/three/src/parser.ts")).to.deep.equal([all[0]]);
    expect(await paths("parser.ts")).to.deep.equal([all[0], "c2 lib/parser.ts", ...all.slice(1)]);
    expect(await paths("arser.ts")).to.deep.equal([]);
    expect(await paths("/src/parser.ts/")).to.deep.equal(all);
  });

  it("are paged in both directions across folders", async () => {
    const all = await paths("parser.ts");
    const first = await found("parser.ts", ", first: 3");
    expect(first.pageInfo.hasNextPage).to.equal(true);
    const rest = await paths("parser.ts", `, first: 3, after: "${first.pageInfo.endCursor}"`);
    expect([...first.nodes.map((each: any) => `${each.session.externalId} ${each.path}`), ...rest]).to.deep.equal(all);
    expect(await paths("parser.ts", ", last: 2")).to.deep.equal(all.slice(-2));
  });

  it("are found by an added line, with the turn that requested the change", async () => {
    expect(await paths("src/parser.ts", ', lines: ["nothing", "const a = 1;"]')).to.deep.equal([
      "c2 src/parser.ts",
      "c1 src/parser.ts",
    ]);
    expect(await paths("src/parser.ts", ', lines: ["nothing", "const a"]')).to.deep.equal([]);
    const [, change] = (await found("src/parser.ts", ', lines: ["nothing", "const a = 1;"]')).nodes;
    expect(change).to.deep.include({ change: "edit", added: 1, removed: 1, lines: ["const a = 1;"] });
    expect(change.event.turn.args).to.equal("Mend it");
  });

  it("are refused for an empty path, and hidden from other organizations", async () => {
    for (const path of ["", "/", "..", "./."]) {
      const { errors } = await space.graphql("query ($path: String!) { recordedFiles(path: $path) { nodes { id } } }", {
        path,
      });
      expect(errors?.[0]?.message).to.contain("path must name a file");
    }
    expect((await found("parser.ts", "", await createWorkspace())).nodes).to.deep.equal([]);
  });

  it("in too many folders are refused with a hint to narrow the query", async () => {
    const many = await createWorkspace();
    const files = (at: number) =>
      Array.from({ length: 200 }, (_, n) => `*** Add File: d${at}/${n}/index.ts\n+x`).join("\n");
    const events = [1, 2, 3].map((at) =>
      createEvent({
        primitive_type: "tool",
        primitive_name: "apply_patch",
        args: `*** Begin Patch\n${files(at)}\n*** End Patch`,
        result: "Done!",
      }),
    );
    await callRestApi(many.url, "POST", "/api/v1/capture-events", {
      body: { events },
      headers: { "x-api-key": many.ingestKey },
    });
    const { errors } = await many.graphql('{ recordedFiles(path: "index.ts") { nodes { id } } }');
    expect(errors?.[0]?.message).to.contain("give more of the folders before it");
    expect((await found("d2/7/index.ts", "", many)).nodes).to.have.length(1);
  });
});

describe("commits by id", () => {
  it("are found by full and abbreviated ids, on either side", async () => {
    const space = await createWorkspace();
    await report(space, "i1", committed("1a2b3c4", "One"));
    await report(space, "i1", committed("1a2b3c4d5e", "Two"));
    await report(space, "i1", committed("1a2b3c5", "Three"));
    const found = async (...ids: string[]) =>
      (
        await space.gql("query ($ids: [String!]!) { recordedCommits(shas: $ids) { nodes { message } } }", { ids })
      ).recordedCommits.nodes.map(({ message }: any) => message);
    expect(await found("1a2b3c4d5e6f00000000000000000000000000aa")).to.deep.equal(["Two", "One"]);
    expect(await found("1A2B3C4")).to.deep.equal(["Two", "One"]);
    expect(await found("1a2b3c4", "1a2b3c5")).to.deep.equal(["Three", "Two", "One"]);
    expect(await found()).to.deep.equal([]);
    for (const ids of [["1a2b3c"], ["1a2b3c4g"], [""], Array.from({ length: 51 }, (_, at) => String(1_000_000 + at))]) {
      const { errors } = await space.graphql(
        "query ($ids: [String!]!) { recordedCommits(shas: $ids) { nodes { id } } }",
        { ids },
      );
      expect(errors?.[0]?.message).to.match(/^shas must be/);
    }
  });
});

import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { catchUpActions } from "../../server/resources/recorded/actions/store.ts";
import { createAgentShell } from "../support/cli/cli.ts";
import { connectSharedClient } from "../support/mcp.ts";
import { createEvent, createSession } from "../support/recording/ingest.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const CHANGES = "concurrentChanges { path holder { name } issue { identifier } session { id } }";

describe("files that several agents are changing", () => {
  let space: Workspace;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    space = await createWorkspace();
    [ada, bob] = [await createAgent(space, "Ada"), await createAgent(space, "Bob")];
  });
  const post = async (path: string, body: object) => {
    const { status } = await callRestApi(space.url, "POST", `/api/v1/${path}`, {
      body,
      headers: { "x-api-key": space.ingestKey },
    });
    expect(status).to.be.within(200, 202);
  };
  /** Records a session that changes a file in a separate folder. */
  const changes = async (session_id: string, file: string, minutesAgo = 0) => {
    const cwd = `/work/${session_id}`;
    await post("capture-session", createSession({ session_id, metadata: { cwd } }));
    const args = JSON.stringify({ file_path: `${cwd}/${file}`, old_string: "a", new_string: "b" });
    const timestamp = Date.now() - minutesAgo * 60_000;
    await post("capture-events", {
      events: [
        createEvent({ session_id, timestamp, primitive_type: "tool", primitive_name: "Edit", args, result: "{}" }),
      ],
    });
    const { runtime } = await startSharedServer();
    expect(await catchUpActions(runtime.db, space.organizationId, [session_id])).to.equal(true);
  };
  const shown = async (id: string) =>
    (await space.gql(`{ issue(id: "${id}") { ${CHANGES} } }`)).issue.concurrentChanges;
  /** Creates an issue that an earlier session worked on, changing a file. */
  const workedOn = async (file: string, input: Record<string, unknown> = {}) => {
    const [issue, sessionId] = [await space.issue(input), uuidv7()];
    await changes(sessionId, file, 120);
    const { lease } = await bob.claim({ id: issue.id, sessionId });
    await bob.does("issueRelease", { id: issue.id, fence: lease.fence });
    return issue;
  };

  it("are shown on an issue whose earlier session changed them, with the current agents, and never block the issue", async () => {
    const [later, other] = [await workedOn("src/parser.ts"), await space.issue()];
    const sessionId = uuidv7();
    await ada.claim({ id: other.id, sessionId });
    await changes(sessionId, "src/lexer.ts");
    expect(await shown(later.id)).to.deep.equal([]);
    await changes(sessionId, "src/parser.ts");
    const entry = { path: "src/parser.ts", holder: { name: "Ada" }, issue: { identifier: other.identifier } };
    expect(await shown(later.id)).to.deep.equal([{ ...entry, session: { id: sessionId } }]);
    expect(await shown(other.id)).to.deep.equal([]);
    expect((await bob.claim({ id: later.id })).lease.holder.name).to.equal("Bob");
    await bob.does("issueRelease", { id: later.id });
    const related = await space.issue();
    await space.does("issueRelationCreate", {
      input: { type: "related", issueId: related.id, relatedIssueId: later.id },
    });
    expect((await shown(related.id)).map(({ path }: { path: string }) => path)).to.deep.equal(["src/parser.ts"]);
    await ada.does("issueRelease", { id: other.id });
    expect(await shown(later.id)).to.deep.equal([]);
  });

  it("rank an issue behind issues whose files nobody is changing, and do not prevent a claim", async () => {
    const label = (await space.does("issueLabelCreate", { input: { name: "radar" } }, "issueLabel { id }")).issueLabel
      .id;
    const urgent = await workedOn("src/db.ts", { priority: 1, labelIds: [label] });
    const [low, held] = [await space.issue({ priority: 4, labelIds: [label] }), await space.issue()];
    const sessionId = uuidv7();
    await ada.claim({ id: held.id, sessionId });
    await changes(sessionId, "src/db.ts");
    const filter = { labels: { some: { id: { eq: label } } } };
    const [mcp, shell] = [await connectSharedClient(space), createAgentShell(space.url, space.apiKey)];
    const next = async (claim: boolean) => (await mcp.call("next_issue", { labels: ["radar"], claim })).data.issue.id;
    const ready = async (...options: string[]) => shell.tells("ready", "--label", "radar", ...options);
    expect(await next(false)).to.equal(low.identifier);
    expect((await ready()).issues.map(({ id }: any) => id)).to.deep.equal([low.identifier, urgent.identifier]);
    const page = (args: string) => `readyIssues(filter: { labels: { some: { id: { eq: "${label}" } } } }, ${args})
      { nodes { id } pageInfo { hasNextPage endCursor } }`;
    const { first } = await space.gql(`{ first: ${page("first: 1")} }`);
    expect([first.nodes, first.pageInfo.hasNextPage]).to.deep.equal([[{ id: low.id }], true]);
    const { second } = await space.gql(`{ second: ${page(`first: 1, after: "${first.pageInfo.endCursor}"`)} }`);
    expect([second.nodes, second.pageInfo.hasNextPage]).to.deep.equal([[{ id: urgent.id }], false]);
    const taken: readonly (() => Promise<string>)[] = [
      () => next(true),
      async () => (await ready("--claim")).issue.id,
      async () => (await bob.claim({ filter })).issue.identifier,
    ];
    for (const take of taken) {
      expect(await take()).to.equal(low.identifier);
      await space.does("issueRelease", { id: low.id });
    }
    // Lists of the API follow an index, because a cursor cannot point to a position that changes every minute.
    const list = `{ issues(filter: { ready: { eq: true }, labels: { some: { id: { eq: "${label}" } } } }, sort: [{ ready: {} }]) { nodes { id } } }`;
    expect((await space.gql(list)).issues.nodes).to.deep.equal([{ id: urgent.id }, { id: low.id }]);
    expect((await bob.claim({ filter })).issue.id).to.equal(low.id);
    expect((await bob.claim({ filter })).issue.id).to.equal(urgent.id);
  });

  it("are reported to the agent that claims the issue, with the changing agents and their issues", async () => {
    const [later, held] = [await workedOn("src/both.ts"), await space.issue()];
    const sessionId = uuidv7();
    await ada.claim({ id: held.id, sessionId });
    await changes(sessionId, "src/both.ts");
    const { data } = await (await connectSharedClient({ ...space, apiKey: bob.token })).call("claim_issue", {
      issue: later.id,
    });
    const [told] = data.issue.changed_now;
    expect(told).to.include({ path: "src/both.ts", holder: "Ada", issue: held.identifier });
    await bob.does("issueRelease", { id: later.id });
    const shell = createAgentShell(space.url, bob.token);
    const { changedNow, handover } = await shell.tells("claim", later.identifier);
    expect([changedNow, handover]).to.deep.equal([[told], true]);
    await shell.says("release", later.identifier);
    expect(await shell.says("claim", later.identifier)).to.contain("currently changed: src/both.ts, by Ada for");
  });

  it("count as being changed for half an hour", async () => {
    const later = await workedOn("src/old.ts");
    const [held, sessionId] = [await space.issue(), uuidv7()];
    await ada.claim({ id: held.id, sessionId });
    await changes(sessionId, "src/old.ts", 31);
    expect(await shown(later.id)).to.deep.equal([]);
    await changes(sessionId, "src/old.ts", 29);
    expect(await shown(later.id)).to.have.lengthOf(1);
  });
});

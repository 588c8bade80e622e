import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { clearOldSessionTexts } from "../../server/jobs/retention/retention.ts";
import { catchUpActions } from "../../server/resources/recorded/actions/store.ts";
import { sendHook as hook, reportCall as report } from "../support/recording/agent-calls.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const database = async () => (await startSharedServer()).runtime.db;

const printed = (stdout: string) => ({ stdout, stderr: "", interrupted: false });
const idOf = async (space: Workspace): Promise<string> =>
  (await space.gql("{ recordedSessions(first: 1) { nodes { id } } }")).recordedSessions.nodes[0].id;

/** Reads the stored actions of a session in order of time. */
const stored = async (space: Workspace, id: string): Promise<any[]> =>
  (await database()).query({
    text: `select kind, path, sha, added, removed, data from recorded_action where organization_id = $1 and session_id = $2
      order by timestamp, event_id, position`,
    values: [space.organizationId, id],
  });

async function actionsOf(space: Workspace, id: string): Promise<any[]> {
  expect(await catchUpActions(await database(), space.organizationId, [id])).to.equal(true);
  return stored(space, id);
}

describe("actions of a recorded session", () => {
  it("are readable immediately, and the same on every read", async () => {
    const space = await createWorkspace();
    await report(space, "s1", {
      tool: "Edit",
      input: { file_path: "/work/app/a.ts", old_string: "a", new_string: "b" },
      response: {},
    });
    await report(space, "s1", {
      tool: "Bash",
      input: { command: "git commit -m x" },
      response: printed("[main 1a2b3c4] x"),
    });
    const id = await idOf(space);
    const first = await actionsOf(space, id);
    expect(first.map(({ kind }) => kind)).to.deep.equal(["file", "commit"]);
    expect(first[0]).to.include({ path: "/work/app/a.ts", added: 1, removed: 1 });
    expect(first[0].data).to.include({ path: "/work/app/a.ts", change: "edit" });
    expect(first[1]).to.deep.include({ sha: "1a2b3c4", path: null });
    expect(first[1].data).to.include({ branch: "main", subject: "x" });
    expect(await actionsOf(space, id)).to.deep.equal(first);
    const db = await database();
    await processNewEvents(db);
    await db.query({
      text: "update recorded_session set unread_from = '-infinity' where session_id = $1",
      values: [id],
    });
    await processNewEvents(db);
    expect(await stored(space, id)).to.deep.equal(first);
  });

  it("change with the events from which they are derived", async () => {
    const space = await createWorkspace();
    const input = { command: "git commit -m x" };
    const tool_use_id = await report(space, "s2", { tool: "Bash", input });
    const id = await idOf(space);
    expect(await actionsOf(space, id)).to.deep.equal([]);
    await processNewEvents(await database());
    const end = { session_id: "s2", prompt_id: "s2", tool_use_id, tool_name: "Bash", tool_input: input };
    await hook(space, {
      ...end,
      hook_event_name: "PostToolUse",
      tool_response: printed("[main 1a2b3c4] x"),
      duration_ms: 9,
    });
    await idOf(space);
    const [committed, ...more] = await actionsOf(space, id);
    expect(more).to.deep.equal([]);
    expect(committed).to.include({ kind: "commit", sha: "1a2b3c4" });
  });

  it("are limited to the latest ones of a long session", async () => {
    const space = await createWorkspace();
    const session_id = randomUUID();
    const files = (at: number) => Array.from({ length: 200 }, (_, n) => `*** Add File: ${at}/${n}\n+x`).join("\n");
    const tool = (at: number, primitive_name: string, args: string, result: string) =>
      createEvent({ session_id, timestamp: Date.now() + at, primitive_type: "tool", primitive_name, args, result });
    const events = Array.from({ length: 26 }, (_, at) =>
      tool(at, "apply_patch", `*** Begin Patch\n${files(at)}\n*** End Patch`, "Done!"),
    );
    events.push(tool(26, "Bash", JSON.stringify({ command: "git commit -m x" }), "[main 1a2b3c4] x"));
    const headers = { "x-api-key": space.ingestKey };
    const { status } = await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
    expect(status).to.be.lessThan(300);
    const all = await actionsOf(space, session_id);
    expect(all).to.have.length(4_801);
    expect(all[0]).to.include({ kind: "file", path: "2/0" });
    expect(all.at(-1)).to.include({ kind: "commit", sha: "1a2b3c4" });
  });

  it("are deleted with the session's content and with the session", async () => {
    const space = await createWorkspace();
    const [db, count] = [
      await database(),
      async () =>
        (
          await (
            await database()
          ).query({ text: "select from recorded_action where organization_id = $1", values: [space.organizationId] })
        ).length,
    ];
    for (const session of ["s3", "s4"])
      await report(space, session, { tool: "Write", input: { file_path: "/work/a.ts", content: "a" }, response: {} });
    await idOf(space);
    await processNewEvents(db);
    expect(await count()).to.equal(2);
    const id = await idOf(space);
    await space.gql("mutation ($id: String!) { recordedSessionDelete(id: $id) { success } }", { id });
    expect(await count()).to.equal(1);
    await space.gql("mutation { organizationUpdate(input: { retentionTextDays: 1 }) { success } }");
    await clearOldSessionTexts(db, 0, Date.now() + 3 * 24 * 60 * 60 * 1000);
    expect(await count()).to.equal(0);
  });
});

import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type FinishedToolCall, findLoop, updateLoopingSessions } from "../../../server/jobs/loops.ts";
import { earlierSql } from "../../support/db/database.ts";
import { createEvent, createWriter } from "../../support/recording/ingest.ts";
import { freshOrganization, postHook } from "../../support/recording/observed-sessions.ts";
import { callRestApi, startSharedServer, type Tenant } from "../../support/server.ts";

/** Builds calls with the given contents, newest first. */
const calls = (contents: string): FinishedToolCall[] =>
  [...contents]
    .reverse()
    .map((content, at) => ({ id: `${contents.length - at}`, at: `at ${contents.length - at}`, content }));

describe("loop detection", () => {
  for (const [contents, since] of [
    ["aaaaa", "at 1"],
    ["xyzaaaaa", "at 4"],
    ["abababab", "at 1"],
    ["xabcabcabcabc", "at 2"],
  ])
    it(`finds a loop in ${contents}`, () => {
      expect(findLoop(calls(contents ?? ""))).to.deep.equal({ since, last: String(contents?.length) });
    });

  for (const contents of ["", "a", "aaaa", "aaaab", "ababab", "abcabcabc", "abababac", "abcdabcdabcdabcd", "aabbaabb"])
    it(`finds no loop in ${contents || "nothing"}`, () => {
      expect(findLoop(calls(contents))).to.equal(undefined);
    });
});

const stateOf = async ({ gql }: Tenant, id: string) =>
  (
    await gql("query ($id: String!) { recordedSession(id: $id) { state stateSince stateEvent { args result } } }", {
      id,
    })
  ).recordedSession;

const looked = async () => updateLoopingSessions((await startSharedServer()).runtime.db);

/** Starts a turn of Claude Code that runs commands. */
async function working(tenant: Tenant) {
  const common = { session_id: randomUUID(), cwd: "/srv/parcels", prompt_id: randomUUID() };
  const says = (name: string, more: object = {}) =>
    postHook(tenant, "claude-code", { ...common, hook_event_name: name, ...more });
  await says("UserPromptSubmit", { prompt: "Deploy it" });
  let count = 0;
  const runs = async (command: string, output: string) => {
    count += 1;
    const own = { tool_name: "Bash", tool_use_id: `toolu_${count}`, tool_input: { command } };
    await says("PreToolUse", own);
    await says("PostToolUse", { ...own, tool_response: { stdout: output, stderr: "" } });
  };
  const state = async () => {
    await stateOf(tenant, common.session_id);
    await looked();
    return stateOf(tenant, common.session_id);
  };
  return { id: common.session_id, says, runs, state };
}

describe("the job that searches for loops", () => {
  it("pauses after every hundred sessions", async () => {
    const { events } = await createWriter();
    await events(Array.from({ length: 200 }, () => createEvent()));
    const rests: number[] = [];
    await updateLoopingSessions((await startSharedServer()).runtime.db, async () => void rests.push(Date.now()));
    expect(rests.length).to.be.at.least(2);
  });
});

describe("a session that repeats its calls", () => {
  it("is looping since the first of them, until a different call", async () => {
    const tenant = await freshOrganization();
    const session = await working(tenant);
    for (let time = 0; time < 4; time += 1) await session.runs("npm test", "1 failing");
    expect((await session.state()).state).to.equal("working");
    await session.runs("npm test", "1 failing");
    const looping = await session.state();
    expect(looping).to.deep.include({
      state: "looping",
      stateEvent: { args: '{"command":"npm test"}', result: "1 failing" },
    });
    await session.runs("npm test", "1 failing");
    expect((await session.state()).stateSince).to.equal(looping.stateSince);
    const { inbox } = await tenant.gql("{ inbox { nodes { type createdAt session { id } } } }");
    expect(inbox.nodes).to.deep.equal([
      { type: "looping", createdAt: looping.stateSince, session: { id: session.id } },
    ]);
    await session.runs("npm test", "0 failing");
    expect((await session.state()).state).to.equal("working");
  });

  it("is not looping while it polls with changing results", async () => {
    const session = await working(await freshOrganization());
    for (let time = 0; time < 14; time += 1) await session.runs("gh run watch", `${time} of 20 jobs are done`);
    expect((await session.state()).state).to.equal("working");
  });

  it("is looping with a repeated sequence of two or three calls, until the turn ends", async () => {
    for (const circle of [
      ["a", "b"],
      ["a", "b", "c"],
    ]) {
      const session = await working(await freshOrganization());
      for (let time = 0; time < 4; time += 1) for (const command of circle) await session.runs(command, "no");
      expect((await session.state()).state).to.equal("looping");
      await session.says("Stop");
      expect((await session.state()).state).to.equal("idle");
    }
  });

  it("is not looping across prompts of the user", async () => {
    const session = await working(await freshOrganization());
    for (let time = 0; time < 3; time += 1) await session.runs("npm test", "1 failing");
    await session.says("UserPromptSubmit", { prompt: "Again", prompt_id: randomUUID() });
    for (let time = 0; time < 4; time += 1) await session.runs("npm test", "1 failing");
    expect((await session.state()).state).to.equal("working");
  });

  it("is looping also through capture-*", async () => {
    const tenant = await freshOrganization();
    const session_id = randomUUID();
    const post = (result: string, second: number) =>
      callRestApi(tenant.url, "POST", "/api/v1/capture-event", {
        headers: { "x-api-key": tenant.ingestKey },
        body: {
          ...{ event_id: randomUUID(), session_id, primitive_name: "Bash", primitive_type: "tool", args: "make" },
          result,
          timestamp: Date.now() - 60_000 + 1_000 * second,
        },
      });
    for (let time = 0; time < 5; time += 1) await post("no rule", time);
    await looked();
    expect((await stateOf(tenant, session_id)).state).to.equal("looping");
    await post("done", 6);
    await looked();
    expect((await stateOf(tenant, session_id)).state).to.equal("idle");
  });
});

describe("a session without reports during a turn", () => {
  /** Simulates that time passes: moves the times of receipt into the past. */
  const later = async (session: string, minutes: number) =>
    (await startSharedServer()).runtime.db.query({
      text: `update recorded_session set last_received_at = ${earlierSql("last_received_at", "$2 * interval '1 minute'")} where session_id = $1`,
      values: [session, minutes],
    });

  it("is stuck after ten minutes, since its last report, and works again with the next report", async () => {
    const tenant = await freshOrganization();
    const session = await working(tenant);
    expect((await session.state()).state).to.equal("working");
    await later(session.id, 9);
    expect((await session.state()).state).to.equal("working");
    await later(session.id, 2);
    const stuck = await session.state();
    expect(stuck.state).to.equal("stuck");
    expect(Date.now() - Date.parse(stuck.stateSince)).to.be.within(10.9 * 60_000, 12 * 60_000);
    const { inbox, recordedSessions } = await tenant.gql(`{ inbox { nodes { type } }
      recordedSessions(filter: { state: { eq: stuck } }) { nodes { id } } }`);
    expect(inbox.nodes).to.deep.equal([{ type: "stuck" }]);
    expect(recordedSessions.nodes).to.deep.equal([{ id: session.id }]);
    await session.runs("npm test", "ok");
    expect((await session.state()).state).to.equal("working");
    expect((await tenant.gql("{ inbox { nodes { id } } }")).inbox.nodes).to.deep.equal([]);
  });

  it("is not stuck while it waits for the user, and leaves the inbox after a week", async () => {
    const tenant = await freshOrganization();
    const session = await working(tenant);
    await session.says("PermissionRequest", { tool_name: "Bash", tool_input: { command: "npm publish" } });
    await session.state();
    await later(session.id, 60);
    expect((await session.state()).state).to.equal("waitingForPermission");
    await later(session.id, 7 * 24 * 60);
    expect((await session.state()).state).to.equal("waitingForPermission");
    expect((await tenant.gql("{ inbox { nodes { id } } }")).inbox.nodes).to.deep.equal([]);
  });
});

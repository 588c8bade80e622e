import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { freshOrganization, postHook, replayHooks } from "../support/recording/observed-sessions.ts";
import type { Tenant } from "../support/server.ts";

interface State {
  state: string;
  stateSince: string;
  waitsFor: string | null;
  stateEvent: { args: string } | null;
}

const stateOf = async ({ gql }: Tenant, id: string): Promise<State> =>
  (
    await gql(`query ($id: String!) { recordedSession(id: $id) { state stateSince waitsFor stateEvent { args } } }`, {
      id,
    })
  ).recordedSession;

/** Reads the state of the only session of an organization. */
const onlyState = async (tenant: Tenant): Promise<State> => {
  const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { id } } }");
  expect(recordedSessions.nodes).to.have.length(1);
  return stateOf(tenant, recordedSessions.nodes[0].id);
};

const COMMAND = { command: "npm publish", description: "Publish it" };

/** Reports the hooks of one turn of Claude Code. */
function claudeTurn(tenant: Tenant, session = randomUUID()) {
  const common = { session_id: session, cwd: "/srv/parcels", prompt_id: randomUUID() };
  const says = async (name: string, more: object = {}) => {
    const payload = { ...common, hook_event_name: name, ...more };
    expect((await postHook(tenant, "claude-code", payload)).status).to.equal(204);
  };
  const call = (id: string, input: object = COMMAND) => ({ tool_name: "Bash", tool_use_id: id, tool_input: input });
  return { session, says, call, state: () => stateOf(tenant, session) };
}

describe("session state", () => {
  it("is working after a prompt, and idle after the end of the turn", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    expect((await turn.state()).state).to.equal("working");
    await turn.says("Stop", { last_assistant_message: "Done." });
    expect(await turn.state()).to.include({ state: "idle", waitsFor: null });
    await turn.says("SessionEnd", { reason: "exit" });
    expect((await turn.state()).state).to.equal("ended");
  });

  it("is failed after a failed turn, even after the end of the session", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    await turn.says("StopFailure", { error: "rate_limit" });
    expect((await turn.state()).state).to.equal("failed");
    await turn.says("SessionEnd", { reason: "exit" });
    expect((await turn.state()).state).to.equal("failed");
  });

  it("is waiting for permission until the call ends, regardless of other events", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    await turn.says("PreToolUse", turn.call("toolu_1"));
    await turn.says("PreToolUse", turn.call("toolu_2", { command: "ls" }));
    await turn.says("PermissionRequest", { tool_name: "Bash", tool_input: COMMAND });
    const waiting = await turn.state();
    expect(waiting).to.include({ state: "waitingForPermission", waitsFor: "npm publish" });
    expect(waiting.stateEvent?.args).to.equal(JSON.stringify(COMMAND));
    await turn.says("PostToolUse", { ...turn.call("toolu_2", { command: "ls" }), tool_response: { stdout: "a" } });
    expect((await turn.state()).state).to.equal("waitingForPermission");
    await turn.says("PostToolUse", { ...turn.call("toolu_1"), tool_response: { stdout: "+ parcels@1.0.0" } });
    expect(await turn.state()).to.include({ state: "working", waitsFor: null });
  });

  it("is waiting again when the agent asks for the same permission again in the same turn", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    for (const id of ["toolu_1", "toolu_2"]) {
      await turn.says("PreToolUse", turn.call(id));
      await turn.says("PermissionRequest", { tool_name: "Bash", tool_input: COMMAND });
      expect((await turn.state()).state).to.equal("waitingForPermission");
      await turn.says("PostToolUse", { ...turn.call(id), tool_response: "no" });
      expect((await turn.state()).state).to.equal("working");
    }
  });

  it("is waiting for permission even if the request arrives before its call", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    await turn.says("PermissionRequest", { tool_name: "Bash", tool_input: COMMAND });
    expect((await turn.state()).state).to.equal("waitingForPermission");
    await turn.says("PreToolUse", turn.call("toolu_1"));
    expect((await turn.state()).state).to.equal("waitingForPermission");
    await turn.says("Stop", {});
    expect((await turn.state()).state).to.equal("idle");
  });

  it("is waiting for an answer while a model or an MCP server asks the user", async () => {
    const turn = claudeTurn(await freshOrganization());
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    const asks = { questions: [{ question: "Which registry?", options: [] }] };
    const call = { tool_name: "AskUserQuestion", tool_use_id: "toolu_q", tool_input: asks };
    await turn.says("PreToolUse", call);
    expect(await turn.state()).to.include({ state: "waitingForAnswer", waitsFor: "Which registry?" });
    await turn.says("PostToolUse", { ...call, tool_response: "npm" });
    expect((await turn.state()).state).to.equal("working");
    await turn.says("Elicitation", { mcp_server_name: "vault", message: "Your one-time code?" });
    expect(await turn.state()).to.include({ state: "waitingForAnswer", waitsFor: "Your one-time code?" });
    await turn.says("ElicitationResult", { mcp_server_name: "vault", action: "accept" });
    expect((await turn.state()).state).to.equal("working");
  });

  it("is waiting for an answer after Claude Code reports waiting for input, until the next prompt", async () => {
    const tenant = await freshOrganization();
    const turn = claudeTurn(tenant);
    await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    await turn.says("Stop", { last_assistant_message: "Which version?" });
    await turn.says("Notification", { notification_type: "idle_prompt", message: "Claude is waiting for your input" });
    expect((await turn.state()).state).to.equal("waitingForAnswer");
    await turn.says("Notification", { notification_type: "auth_success", message: "Signed in" });
    expect((await turn.state()).state).to.equal("waitingForAnswer");
    const next = claudeTurn(tenant, turn.session);
    await next.says("UserPromptSubmit", { prompt: "1.0.0" });
    expect((await turn.state()).state).to.equal("working");
  });

  it("matches captured hooks of Claude Code and Gemini CLI", async () => {
    for (const [agent, path, state, asks] of [
      ["claude-code", "claude/41-permission-request", "waitingForPermission", "cat /nonexistent"],
      ["claude-code", "claude/42-notification", "waitingForAnswer", "Claude is waiting for your input"],
      ["gemini-cli", "gemini/21-notification", "waitingForPermission", "cat /nonexistent"],
    ] as const) {
      const tenant = await freshOrganization();
      await replayHooks(tenant, agent, [path]);
      expect(await onlyState(tenant), path).to.include({ state, waitsFor: asks });
    }
  });

  it("matches Codex, whose permission request describes the command differently than the call does", async () => {
    const tenant = await freshOrganization();
    const common = { session_id: randomUUID(), turn_id: "t-1", cwd: "/srv/parcels", model: "gpt-5" };
    const says = (name: string, more: object) =>
      postHook(tenant, "codex", { ...common, hook_event_name: name, ...more });
    await says("UserPromptSubmit", { prompt: "Publish it" });
    const call = { tool_name: "Bash", tool_use_id: "call_1", tool_input: { command: "npm publish" } };
    await says("PreToolUse", call);
    await says("PermissionRequest", { tool_name: "Bash", tool_input: COMMAND });
    const waiting = await stateOf(tenant, common.session_id);
    expect(waiting).to.include({ state: "waitingForPermission", waitsFor: "npm publish" });
    expect(waiting.stateEvent?.args).to.equal(JSON.stringify(call.tool_input));
    await says("PostToolUse", { ...call, tool_response: "ok" });
    expect((await stateOf(tenant, common.session_id)).state).to.equal("working");
  });

  it("matches permission requests of opencode by their ids", async () => {
    const tenant = await freshOrganization();
    const common = { session_id: "ses_1", turn_id: "msg_1" };
    let time = Date.now();
    const says = (name: string, more: object) => {
      time += 10;
      return postHook(tenant, "opencode", { ...common, hook_event_name: name, time, ...more });
    };
    await says("chat.message", { prompt: "Publish it", cwd: "/srv/parcels" });
    await says("permission.asked", { request_id: "per_1", permission: "bash", input: { command: "npm publish" } });
    expect(await onlyState(tenant)).to.include({ state: "waitingForPermission", waitsFor: "npm publish" });
    await says("permission.replied", { request_id: "per_other" });
    expect((await onlyState(tenant)).state).to.equal("waitingForPermission");
    await says("permission.replied", { request_id: "per_1" });
    expect((await onlyState(tenant)).state).to.equal("working");
    await says("question.asked", { request_id: "que_1", questions: [{ question: "Which registry?" }] });
    expect(await onlyState(tenant)).to.include({ state: "waitingForAnswer", waitsFor: "Which registry?" });
    await says("question.rejected", { request_id: "que_1" });
    expect((await onlyState(tenant)).state).to.equal("working");
  });

  it("does not depend on the order of hooks or on repeats", async () => {
    const tenant = await freshOrganization();
    const common = { session_id: randomUUID(), hook_event_name: "Notification", cwd: "/srv" };
    const timed = (name: string, second: number, more: object) => ({
      ...common,
      hook_event_name: name,
      timestamp: `2026-11-21T20:48:${second}.000Z`,
      ...more,
    });
    const all = [
      timed("BeforeAgent", 10, { prompt: "Publish it" }),
      timed("Notification", 20, { notification_type: "ToolPermission", details: COMMAND }),
      timed("AfterTool", 30, { tool_name: "run_shell_command", tool_input: COMMAND, tool_response: {} }),
      timed("AfterAgent", 40, { prompt: "Publish it", prompt_response: "Done" }),
    ];
    for (const payload of [...all.reverse(), ...all]) await postHook(tenant, "gemini-cli", payload);
    expect((await onlyState(tenant)).state).to.equal("idle");
  });

  it("filters lists of sessions by one state, several states, or by exclusion", async () => {
    const tenant = await freshOrganization();
    const [working, waiting, ended] = [claudeTurn(tenant), claudeTurn(tenant), claudeTurn(tenant)];
    for (const turn of [working, waiting, ended]) await turn.says("UserPromptSubmit", { prompt: "Publish it" });
    await waiting.says("PermissionRequest", { tool_name: "Bash", tool_input: COMMAND });
    await ended.says("SessionEnd", {});
    const listed = async (state: object) => {
      const document = "query ($filter: RecordedSessionFilter) { recordedSessions(filter: $filter) { nodes { id } } }";
      return (await tenant.gql(document, { filter: { state } })).recordedSessions.nodes.map(({ id }: any) => id).sort();
    };
    expect(await listed({ eq: "waitingForPermission" })).to.deep.equal([waiting.session]);
    expect(await listed({ in: ["working", "stuck"] })).to.deep.equal([working.session]);
    expect(await listed({ neq: "working" })).to.deep.equal([waiting.session, ended.session].sort());
    expect(await listed({ nin: ["working", "failed", "ended"] })).to.deep.equal([waiting.session]);
    expect(await listed({ eq: "working", neq: "working" })).to.deep.equal([]);
    expect(await listed({})).to.have.length(3);
  });
});

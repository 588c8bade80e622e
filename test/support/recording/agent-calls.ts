import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { call } from "../server.ts";
import type { Workspace } from "../workspace.ts";

/** A call of a tool, as the hooks of Claude Code report it. */
export interface AgentCall {
  tool: string;
  input: object;
  /** Left out, it has not ended. */
  response?: object;
  /** The folder; /work/app unless given. */
  cwd?: string;
}

/** Sends a payload of the hooks of Claude Code. */
export async function sendHook(space: Workspace, body: object, agent = "claude-code", query = ""): Promise<void> {
  const headers = { "x-api-key": space.ingestKey };
  const { status } = await call(space.url, "POST", `/api/v1/hooks/${agent}${query}`, { body, headers });
  expect(status).to.be.lessThan(300);
}

/** Reports a call: its beginning, and its end if it has one. Answers the id that the agent gave it. */
export async function reportCall(space: Workspace, session: string, { tool, input, response, cwd }: AgentCall) {
  const tool_use_id = `toolu_${randomUUID()}`;
  const common = {
    session_id: session,
    prompt_id: session,
    cwd: cwd ?? "/work/app",
    tool_name: tool,
    tool_input: input,
    tool_use_id,
  };
  await sendHook(space, { ...common, hook_event_name: "PreToolUse" });
  if (response) {
    const end = { tool_response: response, duration_ms: 5, hook_event_name: "PostToolUse" };
    await sendHook(space, { ...common, ...end });
  }
  return tool_use_id;
}

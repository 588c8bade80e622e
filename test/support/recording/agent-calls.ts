import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { callRestApi } from "../server.ts";
import type { Workspace } from "../workspace.ts";

/** Tool call as reported by the hooks of Claude Code. */
export interface AgentCall {
  tool: string;
  input: object;
  /** Result of the call. Without a result, the call has not ended. */
  response?: object;
  /** Working directory; /work/app by default. */
  cwd?: string;
}

/** Sends a hook payload of Claude Code. */
export async function sendHook(space: Workspace, body: object, agent = "claude-code", query = ""): Promise<void> {
  const headers = { "x-api-key": space.ingestKey };
  const { status } = await callRestApi(space.url, "POST", `/api/v1/hooks/${agent}${query}`, { body, headers });
  expect(status).to.be.lessThan(300);
}

/** Reports the start of a call, and the end if the call has a result. Returns the call's id. */
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

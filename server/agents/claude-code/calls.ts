import { isObject } from "../../../formats/json.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import type { PartialObservation } from "../agent-hooks.ts";
import { type Payload, readTime } from "../fields.ts";
import { readText, type TranscriptReaderState } from "../transcript.ts";
import { claudeCodeHooks as hooks } from "./hooks.ts";
import { endInlineSubagent, findInlineSubagentId } from "./inline-subagents.ts";

/**
 * Returns the observations for the end of a tool call, in the same form as from a hook. The file of a subagent contains
 * only the text that the model received.
 */
export function readCallEnd(
  result: Payload,
  line: Payload,
  state: TranscriptReaderState,
  isOnly: boolean,
): PartialObservation[] {
  const { turn } = state;
  const content = readText(result);
  const sent = isOnly ? line["toolUseResult"] : undefined;
  const agentId = endInlineSubagent(state, result["tool_use_id"]);
  const isFailed = result["is_error"] === true;
  const payload: Payload = {
    tool_use_id: result["tool_use_id"],
    agent_id: findInlineSubagentId(state, line),
    tool_response: withAgent(typeof sent === "object" && sent !== null ? sent : content, agentId),
    error: content,
  };
  const at = readTime(line);
  const found = asHook(isFailed ? "PostToolUseFailure" : "PostToolUse", payload, at ?? 0);
  const ended = { kind: "subagent", id: agentId, success: false, error: content, endedAt: at, ends: "event" } as const;
  const ends = isFailed && agentId !== undefined ? [...found, ended] : found;
  return ends.map((each) => ({ ...each, endedAt: each.endedAt || undefined, turn }));
}

/**
 * Adds the id of an inline subagent to the response of the call that started the subagent. Later versions of Claude
 * Code write the id there themselves.
 */
function withAgent(response: object | string | undefined, agentId: string | undefined): object | string | undefined {
  if (agentId === undefined) return response;
  return { agentId, ...(isObject(response) ? response : { content: [{ type: "text", text: response }] }) };
}

export function readCallBegin(block: Payload, agent: string | undefined): PartialObservation {
  const { id, name, input } = block;
  const payload = { tool_use_id: id, tool_name: name, tool_input: input, agent_id: agent };
  return asHook("PreToolUse", payload, 0)[0] ?? {};
}

/** Returns the observations of a hook event. */
const asHook = (event: string, payload: Payload, at: number): PartialObservation[] =>
  [getOwnProperty(hooks.events, event)?.(payload, at) ?? []].flat();

const COMMAND = /<command-name>([^<]+)<\/command-name>/;
const ARGUMENTS = /<command-args>([^<]+)<\/command-args>/;

/** Returns a command as the user typed the command. */
export function readTypedCommand(text: string): string {
  const name = /^<command-/.test(text) ? COMMAND.exec(text)?.[1] : undefined;
  return name === undefined ? text : [name, ARGUMENTS.exec(text)?.[1] ?? []].flat().join(" ");
}

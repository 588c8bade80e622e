import { asText, objectOf, type Payload, textOf, timeIn } from "../fields.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";
import { claudeCode } from "./claude-code.ts";

/**
 * Qwen Code: the hooks of Claude Code, with times, and with ids of its own for calls beside those of the model. Versions
 * that name no prompt are recorded by their telemetry alone, since the two could not meet.
 */
export const qwenCode: AgentHooks = {
  source: "qwen-code",
  common: (payload, now) => ({ ...claudeCode.common(asClaudes(payload), now), isArrival: undefined }),
  events: {
    ...Object.fromEntries(
      Object.entries(claudeCode.events).map(([name, read]) => [
        name,
        (payload: Payload, now: number) => (isTold(payload) ? read(asClaudes(payload), timeIn(payload) ?? now) : {}),
      ]),
    ),
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: timeIn(payload) ?? now }),
  },
};

const isTold = (payload: Payload): boolean =>
  textOf(payload, "prompt_id") !== undefined || textOf(payload, "hook_event_name") === "SessionEnd";

/** A subagent's prompts have an id under that of the prompt around it. */
const OWN_PROMPT = /\/automatic\/.*$/;

function asClaudes(payload: Payload): Payload {
  const { llmContent, returnDisplay } = objectOf(payload, "tool_response");
  const prompt = textOf(payload, "prompt_id")?.replace(OWN_PROMPT, "");
  const id = textOf(payload, "tool_call_id") ?? textOf(payload, "tool_use_id");
  const output = typeof returnDisplay === "string" && returnDisplay !== "" ? returnDisplay : asText(llmContent);
  return { ...payload, prompt_id: prompt, tool_use_id: id, tool_response: output };
}

/** Its id is its type, and the call that began it. */
function subagent(payload: Payload): PartialObservation {
  const [id = "", type = ""] = [textOf(payload, "agent_id"), textOf(payload, "agent_type")];
  return {
    kind: "subagent",
    id,
    name: type,
    parentCall: id.startsWith(`${type}-`) ? id.slice(type.length + 1) : undefined,
  };
}

import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import { claudeCodeHooks } from "../claude-code/hooks.ts";
import { type Payload, readObject, readString, readTime, toText } from "../fields.ts";

/**
 * Hooks of Qwen Code, which have the format of Claude Code's hooks, plus timestamps. Qwen Code has its own call ids in
 * addition to the model's call ids. Versions that do not name the prompt are recorded only through telemetry, because
 * the server could not match hooks and telemetry.
 */
export const qwenCodeHooks: AgentHooks = {
  source: "qwen-code",
  common: (payload, now) => ({ ...claudeCodeHooks.common(asClaudes(payload), now), isArrival: undefined }),
  events: {
    ...Object.fromEntries(
      Object.entries(claudeCodeHooks.events).map(([name, read]) => [
        name,
        (payload: Payload, now: number) => (isTold(payload) ? read(asClaudes(payload), readTime(payload) ?? now) : {}),
      ]),
    ),
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: readTime(payload) ?? now }),
  },
};

const isTold = (payload: Payload): boolean =>
  readString(payload, "prompt_id") !== undefined || readString(payload, "hook_event_name") === "SessionEnd";

/**
 * Matches the suffix of a subagent's prompt id. The prompt id of a subagent consists of the id of the surrounding
 * prompt and this suffix.
 */
const OWN_PROMPT = /\/automatic\/.*$/;

function asClaudes(payload: Payload): Payload {
  const { llmContent, returnDisplay } = readObject(payload, "tool_response");
  const prompt = readString(payload, "prompt_id")?.replace(OWN_PROMPT, "");
  const id = readString(payload, "tool_call_id") ?? readString(payload, "tool_use_id");
  const output = typeof returnDisplay === "string" && returnDisplay !== "" ? returnDisplay : toText(llmContent);
  return { ...payload, prompt_id: prompt, tool_use_id: id, tool_response: output };
}

/** A subagent's id consists of its type and the call that started the subagent. */
function subagent(payload: Payload): PartialObservation {
  const [id = "", type = ""] = [readString(payload, "agent_id"), readString(payload, "agent_type")];
  return {
    kind: "subagent",
    id,
    name: type,
    parentCall: id.startsWith(`${type}-`) ? id.slice(type.length + 1) : undefined,
  };
}

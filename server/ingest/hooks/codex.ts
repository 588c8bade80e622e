import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";
import { asText, isFailedExit, objectOf, type Payload, textOf, whole } from "./fields.ts";

/** Codex: the events carry neither time nor duration. Only its output shows that a command failed. */
export const codex: AgentHooks = {
  source: "codex",
  common: (payload) => ({
    session: textOf(payload, "session_id"),
    turn: textOf(payload, "turn_id"),
    isArrival: true,
    sessionMetadata: about(payload),
  }),
  events: {
    UserPromptSubmit: (payload, now) => ({ ...turn(payload), args: whole(payload["prompt"]), startedAt: now }),
    Stop: (payload, now) => ({
      ...turn(payload),
      result: whole(payload["last_assistant_message"]),
      endedAt: now,
      ends: "turn",
    }),
    PreToolUse: (payload, now) => ({ ...call(payload), startedAt: now }),
    PostToolUse: (payload, now) => ({ ...call(payload), ...outcome(payload), endedAt: now, ends: "event" }),
    PermissionRequest: (payload, now) => ({
      waits: { for: "permission" },
      name: textOf(payload, "tool_name"),
      args: whole(payload["tool_input"]),
      startedAt: now,
    }),
    SessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

const about = (payload: Payload): Record<string, unknown> => {
  const cwd = textOf(payload, "cwd");
  return cwd ? { cwd } : {};
};

const turn = (payload: Payload): PartialObservation => ({
  kind: "turn",
  id: textOf(payload, "turn_id"),
  model: textOf(payload, "model"),
});

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: textOf(payload, "tool_use_id"),
  name: textOf(payload, "tool_name"),
  args: whole(payload["tool_input"]),
});

/** The first line of an output that Codex has cut in its middle. */
const CUT = /^Warning: truncated output /;

/** No event reports a success. MCP tools report a failure, and the text of a shell shows it. */
function outcome(payload: Payload): PartialObservation {
  const response = payload["tool_response"];
  const text = asText(response);
  const failed = objectOf(payload, "tool_response")["isError"] === true || isFailedExit(text);
  const result = whole(text, text !== undefined && CUT.test(text));
  return failed ? { success: false, error: text, result } : { result };
}

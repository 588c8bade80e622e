import { asText, isFailedExit, objectOf, type Payload, textOf, whole } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";

/**
 * Codex: the events carry neither time nor duration. Only its output shows that a command failed. A subagent is a thread of
 * its own, and so a session of its own, as in its log records, which name no other.
 */
export const codex: AgentHooks = {
  source: "codex",
  common: (payload) => {
    const thread = isAround(payload) ? undefined : textOf(payload, "agent_id");
    return {
      session: thread ?? textOf(payload, "session_id"),
      turn: isAround(payload) ? undefined : textOf(payload, "turn_id"),
      isArrival: true,
      sessionMetadata: defined({ cwd: textOf(payload, "cwd"), parentSession: thread && textOf(payload, "session_id") }),
    };
  },
  events: {
    UserPromptSubmit: (payload, now) => ({ ...turn(payload), args: whole(payload["prompt"]), startedAt: now }),
    Stop: (payload, now) => ({
      ...turn(payload),
      result: whole(payload["last_assistant_message"]),
      endedAt: now,
      ends: "turn",
    }),
    PreToolUse: (payload, now) => ({ ...call(payload), startedAt: now }),
    PermissionRequest: (payload, now) => ({
      waits: { for: "permission" },
      name: textOf(payload, "tool_name"),
      args: whole(payload["tool_input"]),
      startedAt: now,
    }),
    PostToolUse: (payload, now) => [
      { ...call(payload), ...outcome(payload), endedAt: now, ends: "event" },
      ...subagentBegunBy(textOf(payload, "tool_use_id"), asText(payload["tool_response"])).map((begun) => ({
        ...begun,
        args: whole(objectOf(payload, "tool_input")["message"]),
      })),
    ],
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: now }),
    SubagentStop: (payload, now) => {
      const end = { result: whole(payload["last_assistant_message"]), endedAt: now };
      return [
        { ...subagent(payload), ...end, ends: "event" },
        { session: textOf(payload, "agent_id"), ...turn(payload), ...end, ends: "turn" },
      ];
    },
    SessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

/** Reports whether an event is of the session around a subagent; its turn is the subagent's all the same. */
const isAround = (payload: Payload): boolean => /^Subagent/.test(textOf(payload, "hook_event_name") ?? "");

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: textOf(payload, "agent_id"),
  name: textOf(payload, "agent_type"),
});

/** The subagent that a call began, by the call's output. */
export function subagentBegunBy(call: string | undefined, output: string | undefined): PartialObservation[] {
  const [, id] = /^\{"agent_id":"([\w-]+)"/.exec(output ?? "") ?? [];
  return id === undefined ? [] : [{ kind: "subagent", id, parentCall: call }];
}

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

import { asText, numberOf, type Payload, textOf, whole } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";

/** Cursor, by its documentation: the events carry no time; a generation is a turn. */
export const cursor: AgentHooks = {
  source: "cursor",
  sessionKey: "conversation_id",
  common: (payload) => ({
    session: textOf(payload, "conversation_id"),
    turn: textOf(payload, "generation_id"),
    isArrival: true,
    sessionMetadata: about(payload),
  }),
  events: {
    beforeSubmitPrompt: (payload, now) => ({ ...turn(payload), args: whole(payload["prompt"]), startedAt: now }),
    afterAgentResponse: (payload) => ({ ...turn(payload), result: whole(payload["text"]) }),
    stop: (payload, now) => {
      const status = textOf(payload, "status");
      const isFailed = status === "error" || status === "aborted";
      const failure: PartialObservation = isFailed ? { success: false, error: `The turn ended as ${status}.` } : {};
      return { ...turn(payload), ...failure, endedAt: now, ends: "turn" };
    },
    preToolUse: (payload, now) => ({ ...call(payload), startedAt: now }),
    postToolUse: (payload, now) => ({
      ...call(payload),
      ...ended(payload, now),
      success: true,
      result: whole(payload["tool_output"]),
    }),
    postToolUseFailure: (payload, now) => ({
      ...call(payload),
      ...ended(payload, now),
      success: false,
      error: asText(payload["error_message"] ?? payload["failure_type"]),
    }),
    subagentStart: (payload, now) => ({
      ...subagent(payload),
      parentCall: textOf(payload, "tool_call_id"),
      args: whole(payload["task"]),
      model: textOf(payload, "subagent_model"),
      startedAt: now,
    }),
    subagentStop: (payload, now) => ({
      ...subagent(payload),
      result: whole(payload["summary"]),
      latency: numberOf(payload, "duration_ms"),
      endedAt: now,
      ends: "event",
    }),
    sessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

function about(payload: Payload): Record<string, unknown> {
  const [roots, version] = [payload["workspace_roots"], textOf(payload, "cursor_version")];
  const cwd = Array.isArray(roots) ? roots.find((root) => typeof root === "string") : undefined;
  return defined({ cwd, version });
}

const turn = (payload: Payload): PartialObservation => ({
  kind: "turn",
  id: textOf(payload, "generation_id"),
  model: textOf(payload, "model"),
});

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: textOf(payload, "tool_use_id"),
  name: textOf(payload, "tool_name"),
  args: whole(payload["tool_input"]),
});

const ended = (payload: Payload, now: number): PartialObservation => ({
  latency: numberOf(payload, "duration"),
  endedAt: now,
  ends: "event",
});

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: textOf(payload, "subagent_id"),
  name: textOf(payload, "subagent_type"),
});

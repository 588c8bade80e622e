import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import { type Payload, readNumber, readString, toObservedText, toText, withoutUndefined } from "../fields.ts";

/**
 * Hooks of Cursor, implemented according to Cursor's documentation. Events have no time. Cursor calls a turn a
 * generation.
 */
export const cursorHooks: AgentHooks = {
  source: "cursor",
  sessionKey: "conversation_id",
  common: (payload) => ({
    session: readString(payload, "conversation_id"),
    turn: readString(payload, "generation_id"),
    isArrival: true,
    sessionMetadata: about(payload),
  }),
  events: {
    beforeSubmitPrompt: (payload, now) => ({
      ...turn(payload),
      args: toObservedText(payload["prompt"]),
      startedAt: now,
    }),
    afterAgentResponse: (payload) => ({ ...turn(payload), result: toObservedText(payload["text"]) }),
    stop: (payload, now) => {
      const status = readString(payload, "status");
      const isFailed = status === "error" || status === "aborted";
      const failure: PartialObservation = isFailed ? { success: false, error: `The turn ended as ${status}.` } : {};
      return { ...turn(payload), ...failure, endedAt: now, ends: "turn" };
    },
    preToolUse: (payload, now) => ({ ...call(payload), startedAt: now }),
    postToolUse: (payload, now) => ({
      ...call(payload),
      ...ended(payload, now),
      success: true,
      result: toObservedText(payload["tool_output"]),
    }),
    postToolUseFailure: (payload, now) => ({
      ...call(payload),
      ...ended(payload, now),
      success: false,
      error: toText(payload["error_message"] ?? payload["failure_type"]),
    }),
    subagentStart: (payload, now) => ({
      ...subagent(payload),
      parentCall: readString(payload, "tool_call_id"),
      args: toObservedText(payload["task"]),
      model: readString(payload, "subagent_model"),
      startedAt: now,
    }),
    subagentStop: (payload, now) => ({
      ...subagent(payload),
      result: toObservedText(payload["summary"]),
      latency: readNumber(payload, "duration_ms"),
      endedAt: now,
      ends: "event",
    }),
    sessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

function about(payload: Payload): Record<string, unknown> {
  const [roots, version] = [payload["workspace_roots"], readString(payload, "cursor_version")];
  const cwd = Array.isArray(roots) ? roots.find((root) => typeof root === "string") : undefined;
  return withoutUndefined({ cwd, version });
}

const turn = (payload: Payload): PartialObservation => ({
  kind: "turn",
  id: readString(payload, "generation_id"),
  model: readString(payload, "model"),
});

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: readString(payload, "tool_use_id"),
  name: readString(payload, "tool_name"),
  args: toObservedText(payload["tool_input"]),
});

const ended = (payload: Payload, now: number): PartialObservation => ({
  latency: readNumber(payload, "duration"),
  endedAt: now,
  ends: "event",
});

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: readString(payload, "subagent_id"),
  name: readString(payload, "subagent_type"),
});

import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import {
  hasFailedExitCode,
  type Payload,
  readObject,
  readString,
  toObservedText,
  toText,
  withoutUndefined,
} from "../fields.ts";

/**
 * Hooks of Codex. Events have neither a time nor a duration. Only the output of a command shows that the command
 * failed. A subagent runs in a separate thread and is therefore a separate session. Codex's log records also treat a
 * subagent as a separate session, and do not name the session that started the subagent.
 */
export const codexHooks: AgentHooks = {
  source: "codex",
  common: (payload) => {
    const thread = isAround(payload) ? undefined : readString(payload, "agent_id");
    return {
      session: thread ?? readString(payload, "session_id"),
      turn: isAround(payload) ? undefined : readString(payload, "turn_id"),
      isArrival: true,
      sessionMetadata: withoutUndefined({
        cwd: readString(payload, "cwd"),
        parentSession: thread && readString(payload, "session_id"),
      }),
    };
  },
  events: {
    UserPromptSubmit: (payload, now) => ({ ...turn(payload), args: toObservedText(payload["prompt"]), startedAt: now }),
    Stop: (payload, now) => ({
      ...turn(payload),
      result: toObservedText(payload["last_assistant_message"]),
      endedAt: now,
      ends: "turn",
    }),
    PreToolUse: (payload, now) => ({ ...call(payload), startedAt: now }),
    PermissionRequest: (payload, now) => ({
      waits: { for: "permission" },
      name: readString(payload, "tool_name"),
      args: toObservedText(payload["tool_input"]),
      startedAt: now,
    }),
    PostToolUse: (payload, now) => [
      { ...call(payload), ...outcome(payload), endedAt: now, ends: "event" },
      ...readStartedSubagent(readString(payload, "tool_use_id"), toText(payload["tool_response"])).map((begun) => ({
        ...begun,
        args: toObservedText(readObject(payload, "tool_input")["message"]),
      })),
    ],
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: now }),
    SubagentStop: (payload, now) => {
      const end = { result: toObservedText(payload["last_assistant_message"]), endedAt: now };
      return [
        { ...subagent(payload), ...end, ends: "event" },
        { session: readString(payload, "agent_id"), ...turn(payload), ...end, ends: "turn" },
      ];
    },
    SessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

/**
 * Returns true if an event about a subagent belongs to the session that started the subagent. The turn in such an event
 * is the subagent's turn.
 */
const isAround = (payload: Payload): boolean => /^Subagent/.test(readString(payload, "hook_event_name") ?? "");

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: readString(payload, "agent_id"),
  name: readString(payload, "agent_type"),
});

/** Returns the subagent that a call started. The call's output contains the subagent's id. */
export function readStartedSubagent(call: string | undefined, output: string | undefined): PartialObservation[] {
  const [, id] = /^\{"agent_id":"([\w-]+)"/.exec(output ?? "") ?? [];
  return id === undefined ? [] : [{ kind: "subagent", id, parentCall: call }];
}

const turn = (payload: Payload): PartialObservation => ({
  kind: "turn",
  id: readString(payload, "turn_id"),
  model: readString(payload, "model"),
});

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: readString(payload, "tool_use_id"),
  name: readString(payload, "tool_name"),
  args: toObservedText(payload["tool_input"]),
});

/** Matches the first line of an output that Codex truncated in the middle. */
const CUT = /^Warning: truncated output /;

/**
 * Reads the result of a call, and whether the call failed. No event reports success or failure directly: MCP tools
 * report failures in the result, and shell output shows failures as text.
 */
function outcome(payload: Payload): PartialObservation {
  const response = payload["tool_response"];
  const text = toText(response);
  const failed = readObject(payload, "tool_response")["isError"] === true || hasFailedExitCode(text);
  const result = toObservedText(text, text !== undefined && CUT.test(text));
  return failed ? { success: false, error: text, result } : { result };
}

/** A Codex hook cannot end the turn before a call, so each call is denied. */
export const denyCall = (reason: string): object => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

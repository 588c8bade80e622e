import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import {
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  toObservedText,
  toText,
  withoutUndefined,
} from "../fields.ts";

/** Hooks of Claude Code. Hook events have no timestamp, so the server uses the arrival time. */
export const claudeCodeHooks: AgentHooks = {
  source: "claude-code",
  common: (payload) => ({
    session: readString(payload, "session_id"),
    turn: readString(payload, "prompt_id"),
    isArrival: true,
    sessionMetadata: withoutUndefined({
      cwd: readString(payload, "cwd"),
      transcript_path: readString(payload, "transcript_path"),
    }),
  }),
  events: {
    UserPromptSubmit: (payload, now) => ({ ...turn(payload), args: toObservedText(payload["prompt"]), startedAt: now }),
    Stop: (payload, now) => ({ ...turn(payload), ...reply(payload), endedAt: now, ends: "turn" }),
    StopFailure: (payload, now) => ({
      ...turn(payload),
      success: false,
      error: readString(payload, "last_assistant_message") ?? readString(payload, "error"),
      endedAt: now,
      ends: "turn",
    }),
    PreToolUse: (payload, now) => {
      const own = { ...call(payload), startedAt: now };
      const question = asked(payload);
      return question ? [own, { ...question, startedAt: now }] : own;
    },
    // The event does not name the call that needs the permission. The server finds the call by the same tool and the
    // same input.
    PermissionRequest: (payload, now) => ({
      ...(asked(payload) ?? permission(payload)),
      startedAt: now,
    }),
    Notification: (payload, now) => notified(payload, now),
    Elicitation: (payload, now) => ({
      waits: { for: "answer", id: requestOf(payload) },
      args: toObservedText(payload["message"]),
      startedAt: now,
    }),
    ElicitationResult: (payload, now) => ({
      waits: { for: "answer", id: requestOf(payload), over: true },
      startedAt: now,
    }),
    PostToolUse: (payload, now) => {
      const own: PartialObservation = {
        ...call(payload),
        ...ended(payload, now),
        success: true,
        result: outputOf(payload),
        ...unended(payload),
      };
      return [own, ...startedBy(payload, now)];
    },
    PostToolUseFailure: (payload, now) => ({
      ...call(payload),
      ...ended(payload, now),
      success: false,
      error: toText(payload["error"]),
    }),
    PostToolBatch: (payload, now) =>
      readObjects(payload, "tool_calls").map((each) => ({
        ...call({ ...each, agent_id: payload["agent_id"] }),
        ...ended(each, now),
        result: outputOf(each),
        isRefusedUnlessTold: true,
      })),
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: now }),
    // Compaction runs a subagent without a type and without a SubagentStart event. That subagent is not part of the
    // conversation.
    SubagentStop: (payload, now) =>
      readString(payload, "agent_type") ? { ...subagent(payload), ...reply(payload), endedAt: now, ends: "event" } : {},
    SessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

const turn = (payload: Payload): PartialObservation => ({ kind: "turn", id: readString(payload, "prompt_id") });

const reply = (payload: Payload): PartialObservation => ({ result: toObservedText(payload["last_assistant_message"]) });

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: readString(payload, "tool_use_id"),
  parentCall: readString(payload, "agent_id"),
  name: readString(payload, "tool_name"),
  args: toObservedText(payload["tool_input"]),
});

/** Tools by which the model asks the user a question. */
const ASKS: ReadonlySet<string> = new Set(["AskUserQuestion", "ask_user_question"]);

/** Returns the question that a call asks the user; undefined for calls of other tools. */
function asked(payload: Payload): PartialObservation | undefined {
  if (!ASKS.has(readString(payload, "tool_name") ?? "")) return undefined;
  const questions = readObjects(readObject(payload, "tool_input"), "questions").flatMap(
    (each) => readString(each, "question") ?? [],
  );
  const call = readString(payload, "tool_use_id");
  return { waits: { for: "answer", call }, args: toObservedText(questions.join("\n") || undefined) };
}

/** Returns an observation that the agent waits for permission for a call. Claude Code itself does not name the call. */
const permission = (payload: Payload): PartialObservation => ({
  waits: { for: "permission", call: readString(payload, "tool_use_id") },
  name: readString(payload, "tool_name"),
  args: toObservedText(payload["tool_input"]),
});

/**
 * Reads notifications that the agent waits for the user. Other notifications, such as a notification about a sign-in,
 * do not change the session's state.
 */
function notified(payload: Payload, now: number): PartialObservation {
  const type = readString(payload, "notification_type");
  const own = { args: toObservedText(payload["message"]), startedAt: now };
  if (type === "permission_prompt") return { ...own, waits: { for: "permission" } };
  if (type === "elicitation_dialog" || type === "agent_needs_input") return { ...own, waits: { for: "answer" } };
  if (type === "idle_prompt") return { ...own, waits: { for: "answer", afterTurn: true } };
  return {};
}

/**
 * Returns an id for an MCP server's request to the user. If the MCP server does not name its requests, the server's
 * name is enough, because the server then has at most one open request.
 */
const requestOf = (payload: Payload): string =>
  readString(payload, "elicitation_id") ?? `elicitation ${readString(payload, "mcp_server_name") ?? ""}`;

const ended = (payload: Payload, now: number): PartialObservation => ({
  latency: readNumber(payload, "duration_ms"),
  endedAt: now,
  ends: "event",
});

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: readString(payload, "agent_id"),
  name: readString(payload, "agent_type"),
});

/**
 * Returns the output of a shell as printed, and the output of other tools unchanged. If Claude Code stored the rest of
 * a long output in a file, the text is marked as truncated.
 */
function outputOf(payload: Payload): ReturnType<typeof toObservedText> {
  const { stdout, stderr, persistedOutputPath } = readObject(payload, "tool_response");
  if (typeof stdout !== "string" || typeof stderr !== "string") return toObservedText(payload["tool_response"]);
  const printed = [stdout, stderr].filter((text) => text !== "").join("\n");
  return toObservedText(printed, typeof persistedOutputPath === "string");
}

/**
 * Returns metadata for a background command or an interrupted command, because Claude Code reports both like a
 * successful command.
 */
function unended(payload: Payload): PartialObservation {
  const { backgroundTaskId, interrupted } = readObject(payload, "tool_response");
  const told = {
    ...(typeof backgroundTaskId === "string" && { backgroundTaskId }),
    ...(interrupted === true && { interrupted }),
  };
  return Object.keys(told).length > 0 ? { metadata: told } : {};
}

/**
 * Returns the subagent that a call started. Only the response of the call that started a subagent names the subagent.
 */
function startedBy(payload: Payload, now: number): PartialObservation[] {
  const response = readObject(payload, "tool_response");
  const id = readString(response, "agentId");
  if (!id) return [];
  const text = readObjects(response, "content").flatMap((part) => readString(part, "text") ?? []);
  const started: PartialObservation = {
    kind: "subagent",
    id,
    parentCall: readString(payload, "tool_use_id"),
    name: readString(response, "agentType"),
    args: toObservedText(response["prompt"]),
    model: readString(response, "resolvedModel"),
  };
  // A background subagent continues after the call that started the subagent.
  if (response["isAsync"] === true) return [started];
  const result = toObservedText(text.length > 0 ? text.join("\n") : undefined);
  return [{ ...started, result, latency: readNumber(response, "totalDurationMs"), endedAt: now, ends: "event" }];
}

import { asText, numberOf, objectOf, objectsOf, type Payload, textOf, whole } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";

/** Claude Code: the events carry no time, so the time of their arrival stands for it. */
export const claudeCode: AgentHooks = {
  source: "claude-code",
  common: (payload) => ({
    session: textOf(payload, "session_id"),
    turn: textOf(payload, "prompt_id"),
    isArrival: true,
    sessionMetadata: defined({ cwd: textOf(payload, "cwd"), transcript_path: textOf(payload, "transcript_path") }),
  }),
  events: {
    UserPromptSubmit: (payload, now) => ({ ...turn(payload), args: whole(payload["prompt"]), startedAt: now }),
    Stop: (payload, now) => ({ ...turn(payload), ...reply(payload), endedAt: now, ends: "turn" }),
    StopFailure: (payload, now) => ({
      ...turn(payload),
      success: false,
      error: textOf(payload, "last_assistant_message") ?? textOf(payload, "error"),
      endedAt: now,
      ends: "turn",
    }),
    PreToolUse: (payload, now) => {
      const own = { ...call(payload), startedAt: now };
      const question = asked(payload);
      return question ? [own, { ...question, startedAt: now }] : own;
    },
    // It names no call: the one of the same tool and input is meant.
    PermissionRequest: (payload, now) => ({
      ...(asked(payload) ?? permission(payload)),
      startedAt: now,
    }),
    Notification: (payload, now) => notified(payload, now),
    Elicitation: (payload, now) => ({
      waits: { for: "answer", id: requestOf(payload) },
      args: whole(payload["message"]),
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
      error: asText(payload["error"]),
    }),
    PostToolBatch: (payload, now) =>
      objectsOf(payload, "tool_calls").map((each) => ({
        ...call({ ...each, agent_id: payload["agent_id"] }),
        ...ended(each, now),
        result: outputOf(each),
        isRefusedUnlessTold: true,
      })),
    SubagentStart: (payload, now) => ({ ...subagent(payload), startedAt: now }),
    // Compaction runs a subagent without a type, which no SubagentStart announced: no part of the conversation.
    SubagentStop: (payload, now) =>
      textOf(payload, "agent_type") ? { ...subagent(payload), ...reply(payload), endedAt: now, ends: "event" } : {},
    SessionEnd: (_payload, now) => ({ ends: "session", endedAt: now }),
  },
};

const turn = (payload: Payload): PartialObservation => ({ kind: "turn", id: textOf(payload, "prompt_id") });

const reply = (payload: Payload): PartialObservation => ({ result: whole(payload["last_assistant_message"]) });

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  id: textOf(payload, "tool_use_id"),
  parentCall: textOf(payload, "agent_id"),
  name: textOf(payload, "tool_name"),
  args: whole(payload["tool_input"]),
});

/** The tools by which a model asks a person. */
const ASKS: ReadonlySet<string> = new Set(["AskUserQuestion", "ask_user_question"]);

/** The question that a call asks a person, if it is such a call. */
function asked(payload: Payload): PartialObservation | undefined {
  if (!ASKS.has(textOf(payload, "tool_name") ?? "")) return undefined;
  const questions = objectsOf(objectOf(payload, "tool_input"), "questions").flatMap(
    (each) => textOf(each, "question") ?? [],
  );
  const call = textOf(payload, "tool_use_id");
  return { waits: { for: "answer", call }, args: whole(questions.join("\n") || undefined) };
}

/** The permission that a call needs. Claude Code itself does not name the call. */
const permission = (payload: Payload): PartialObservation => ({
  waits: { for: "permission", call: textOf(payload, "tool_use_id") },
  name: textOf(payload, "tool_name"),
  args: whole(payload["tool_input"]),
});

/** The notifications that say that a person is waited for. Others, as of a sign-in, say nothing of it. */
function notified(payload: Payload, now: number): PartialObservation {
  const type = textOf(payload, "notification_type");
  const own = { args: whole(payload["message"]), startedAt: now };
  if (type === "permission_prompt") return { ...own, waits: { for: "permission" } };
  if (type === "elicitation_dialog" || type === "agent_needs_input") return { ...own, waits: { for: "answer" } };
  if (type === "idle_prompt") return { ...own, waits: { for: "answer", afterTurn: true } };
  return {};
}

/** A server asks for one thing at a time, unless it names its requests. */
const requestOf = (payload: Payload): string =>
  textOf(payload, "elicitation_id") ?? `elicitation ${textOf(payload, "mcp_server_name") ?? ""}`;

const ended = (payload: Payload, now: number): PartialObservation => ({
  latency: numberOf(payload, "duration_ms"),
  endedAt: now,
  ends: "event",
});

const subagent = (payload: Payload): PartialObservation => ({
  kind: "subagent",
  id: textOf(payload, "agent_id"),
  name: textOf(payload, "agent_type"),
});

/** A shell's output as it was printed; anything else as it was answered. Of a long one the rest is in a file. */
function outputOf(payload: Payload): ReturnType<typeof whole> {
  const { stdout, stderr, persistedOutputPath } = objectOf(payload, "tool_response");
  if (typeof stdout !== "string" || typeof stderr !== "string") return whole(payload["tool_response"]);
  const printed = [stdout, stderr].filter((text) => text !== "").join("\n");
  return whole(printed, typeof persistedOutputPath === "string");
}

/** A command that went on in the background, or was interrupted, is answered like one that ended well. */
function unended(payload: Payload): PartialObservation {
  const { backgroundTaskId, interrupted } = objectOf(payload, "tool_response");
  const told = {
    ...(typeof backgroundTaskId === "string" && { backgroundTaskId }),
    ...(interrupted === true && { interrupted }),
  };
  return Object.keys(told).length > 0 ? { metadata: told } : {};
}

/** Only the answer of the call that started a subagent names it. */
function startedBy(payload: Payload, now: number): PartialObservation[] {
  const response = objectOf(payload, "tool_response");
  const id = textOf(response, "agentId");
  if (!id) return [];
  const text = objectsOf(response, "content").flatMap((part) => textOf(part, "text") ?? []);
  const started: PartialObservation = {
    kind: "subagent",
    id,
    parentCall: textOf(payload, "tool_use_id"),
    name: textOf(response, "agentType"),
    args: whole(response["prompt"]),
    model: textOf(response, "resolvedModel"),
  };
  // One in the background goes on after the call that started it.
  if (response["isAsync"] === true) return [started];
  const result = whole(text.length > 0 ? text.join("\n") : undefined);
  return [{ ...started, result, latency: numberOf(response, "totalDurationMs"), endedAt: now, ends: "event" }];
}

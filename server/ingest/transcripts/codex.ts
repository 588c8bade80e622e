import { asText, isFailedExit, numberOf, objectOf, type Payload, textOf, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { subagentBegunBy } from "../hooks/codex.ts";
import { defined } from "../observe/fold/facts.ts";
import { compaction, failedTurn, INTERRUPTED, type State, type Transcript, textIn } from "./transcript.ts";

/**
 * Codex: ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl, and archived_sessions. Its lines have the ids of its hooks
 * and its log records: turn and call. A request has one in the lines alone, and is known by its tokens and its time.
 */
export const codex: Transcript = {
  source: "codex",
  verified: ["0.169.0"],
  session: (line, state) => {
    if (line["type"] !== "session_meta") return textOf(state, "session");
    const meta = objectOf(line, "payload");
    // A file may begin with the lines of the session that it was made from. A subagent is a session of its own.
    const own = isSubagent(meta) ? textOf(meta, "id") : undefined;
    return textOf(state, "session") ?? own ?? textOf(meta, "session_id") ?? textOf(meta, "id");
  },
  read(line, state) {
    const payload = objectOf(line, "payload");
    const at = timeIn(line);
    switch (line["type"]) {
      case "session_meta":
        return aboutSession(payload, state, at);
      case "turn_context":
        return readContext(payload, state);
      case "response_item":
        return readItem(payload, state, at);
      case "token_usage_record":
        state["counted"] = true;
        return request(objectOf(payload, "usage"), textOf(payload, "response_id"), state, at);
      case "compacted":
        return [compaction(state, at)];
      case "event_msg":
        return readEvent(payload, state, at);
      default:
        return [];
    }
  },
  close: () => [],
};

const isSubagent = (meta: Payload): boolean => meta["thread_source"] === "subagent" && "session_id" in meta;

function aboutSession(meta: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const git = objectOf(meta, "git");
  const parentSession = isSubagent(meta) ? textOf(meta, "session_id") : undefined;
  if (parentSession !== undefined) state["parent"] ??= parentSession;
  const role = textOf(objectOf(objectOf(objectOf(meta, "source"), "subagent"), "thread_spawn"), "agent_role");
  const sessionMetadata = defined<Record<string, unknown>>({
    cwd: textOf(meta, "cwd"),
    version: textOf(meta, "cli_version"),
    gitBranch: textOf(git, "branch"),
    gitCommit: textOf(git, "commit_hash"),
    parentSession,
  });
  return [{ startedAt, sessionMetadata }, ...asSubagent(state, { startedAt, name: role ?? "default" })];
}

/** The turn that goes on. */
function readContext(payload: Payload, state: State): PartialObservation[] {
  state["turn"] = textOf(payload, "turn_id") ?? state["turn"];
  state["model"] = textOf(payload, "model") ?? state["model"];
  return [];
}

const turnOf = (state: State): PartialObservation => ({
  kind: "turn",
  id: textOf(state, "turn"),
  model: textOf(state, "model"),
});

/** A subagent's file tells the session around it of the subagent. */
function asSubagent(state: State, more: PartialObservation): PartialObservation[] {
  const session = textOf(state, "parent");
  return session === undefined ? [] : [{ session, kind: "subagent", id: textOf(state, "session"), ...more }];
}

function readEvent(payload: Payload, state: State, at: number | undefined): PartialObservation[] {
  switch (payload["type"]) {
    case "task_started":
      readContext(payload, state);
      return [{ ...turnOf(state), startedAt: at }];
    case "user_message":
      return asked(state, textOf(payload, "message"), at);
    case "task_complete": {
      const end = { result: whole(textOf(payload, "last_agent_message")), endedAt: at };
      return [{ ...turnOf(state), ...end, ends: "turn" }, ...asSubagent(state, { ...end, ends: "event" })];
    }
    case "turn_aborted": {
      const error =
        textOf(payload, "reason") === "interrupted" ? INTERRUPTED : (textOf(payload, "reason") ?? "aborted");
      return [{ ...turnOf(state), ...failedTurn(textOf(state, "turn"), error, at) }];
    }
    case "token_count":
      return state["counted"] === true ? [] : tokenCount(objectOf(payload, "info"), state, at);
    case "thread_name_updated":
      return [{ startedAt: at, sessionMetadata: defined({ title: textOf(payload, "thread_name") }) }];
    case "exec_command_end":
      return [commandEnd(payload, textOf(payload, "call_id"), state, at)];
    case "item_completed":
      return readCompleted(objectOf(payload, "item"), state, at);
    default:
      return [];
  }
}

function asked(state: State, prompt: string | undefined, startedAt: number | undefined): PartialObservation[] {
  const told = { args: whole(prompt), startedAt };
  return [{ ...turnOf(state), ...told }, ...asSubagent(state, told)];
}

function readCompleted(item: Payload, state: State, at: number | undefined): PartialObservation[] {
  if (item["type"] === "UserMessage") return asked(state, textIn(item), at);
  if (item["type"] === "CommandExecution") return [commandEnd(item, textOf(item, "id"), state, at)];
  return [];
}

/** The verdict of a command: the output of its call shows it in words alone. */
function commandEnd(item: Payload, id: string | undefined, state: State, at: number | undefined): PartialObservation {
  const { secs, nanos } = objectOf(item, "duration");
  const latency = typeof secs === "number" && typeof nanos === "number" ? secs * 1_000 + nanos / 1e6 : undefined;
  const code = numberOf(item, "exit_code");
  const failed = code !== undefined && code !== 0;
  const error = textOf(item, "aggregated_output") ?? `Process exited with code ${code}`;
  return {
    kind: "tool",
    id,
    turn: textOf(state, "turn"),
    latency,
    endedAt: at,
    ends: "event",
    ...(failed && { success: false, error }),
  };
}

/** The calls of a model as the model sees them, by other names than those of hooks. */
function readItem(payload: Payload, state: State, at: number | undefined): PartialObservation[] {
  const call: PartialObservation = { kind: "tool", id: textOf(payload, "call_id"), turn: textOf(state, "turn") };
  switch (payload["type"]) {
    case "message":
    case "reasoning":
      if (payload["role"] !== "user") state["said"] = at;
      return [];
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call": {
      state["said"] = at;
      const args = whole(payload["arguments"] ?? payload["input"] ?? payload["action"]);
      return [{ ...call, name: textOf(payload, "name") ?? "shell", nameIsGeneric: true, args, startedAt: at }];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const text = outputOf(payload["output"]);
      const failed = isFailedExit(text) ? { success: false, error: text } : {};
      const end: PartialObservation = { ...call, result: whole(text), ...failed, endedAt: at, ends: "event" };
      return [end, ...subagentBegunBy(call.id, text).map((each) => ({ ...each, turn: call.turn }))];
    }
    default:
      return [];
  }
}

/** An output: a text, a list of blocks, or in old versions JSON around the text. */
function outputOf(output: unknown): string | undefined {
  if (Array.isArray(output)) return textIn({ content: output });
  const text = typeof output === "object" ? textIn(output as Payload) : asText(output);
  if (!text?.startsWith('{"output":')) return text;
  try {
    const { output: inner, metadata } = JSON.parse(text) as { output?: unknown; metadata?: { exit_code?: unknown } };
    const code = metadata?.exit_code;
    return `${typeof code === "number" && code !== 0 ? `Exit code: ${code}\n` : ""}${asText(inner) ?? ""}`;
  } catch {
    return text;
  }
}

/** Old versions tell of a request by its tokens alone, and may say so again when nothing has changed but the limits. */
function tokenCount(info: Payload, state: State, at: number | undefined): PartialObservation[] {
  const total = numberOf(objectOf(info, "total_token_usage"), "total_tokens");
  if (total === undefined || total === state["total"]) return [];
  state["total"] = total;
  return request(objectOf(info, "last_token_usage"), `${textOf(state, "turn")} ${total}`, state, at);
}

const USAGE = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_input_tokens",
};

/** A model's request. It was over when the last item of its answer was written: what runs after that may take long. */
function request(usage: Payload, id: string | undefined, state: State, at: number | undefined): PartialObservation[] {
  const model = textOf(state, "model");
  const endedAt = timeIn(state, "said") ?? at;
  return [
    {
      kind: "llm",
      id,
      turn: textOf(state, "turn"),
      name: model,
      model,
      usage: usageIn(usage, USAGE),
      startedAt: endedAt,
    },
  ];
}

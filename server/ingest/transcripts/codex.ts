import {
  asText,
  isFailedExit,
  numberOf,
  objectOf,
  type Payload,
  textOf,
  textsIn,
  timeIn,
  usageIn,
  whole,
} from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { subagentBegunBy } from "../hooks/codex.ts";
import {
  byType,
  compaction,
  failedTurn,
  INTERRUPTED,
  outcome,
  type ReadLine,
  type State,
  type Transcript,
  textIn,
} from "./transcript.ts";

const readCompleted = byType({
  UserMessage: (item, state, at) => asked(state, textIn(item), at),
  CommandExecution: (item, state, at) => [commandEnd(item, textOf(item, "id"), state, at)],
});

const readEvent = byType({
  task_started: (payload, state, startedAt) => {
    readContext(payload, state);
    return [{ ...turnOf(state), startedAt }];
  },
  user_message: (payload, state, at) => asked(state, textOf(payload, "message"), at),
  task_complete: (payload, state, endedAt) => {
    const end = { result: whole(textOf(payload, "last_agent_message")), endedAt };
    return [{ ...turnOf(state), ...end, ends: "turn" }, ...asSubagent(state, { ...end, ends: "event" })];
  },
  turn_aborted: (payload, state, at) => {
    const reason = textOf(payload, "reason") ?? "aborted";
    return [{ ...turnOf(state), ...failedTurn(state.turn, reason === "interrupted" ? INTERRUPTED : reason, at) }];
  },
  token_count: (payload, state, at) =>
    state["counted"] === true ? [] : tokenCount(objectOf(payload, "info"), state, at),
  thread_name_updated: (payload, _, startedAt) => [
    { startedAt, sessionMetadata: textsIn(payload, { title: "thread_name" }) },
  ],
  exec_command_end: (payload, state, at) => [commandEnd(payload, textOf(payload, "call_id"), state, at)],
  item_completed: (payload, state, at) => readCompleted(objectOf(payload, "item"), state, at),
});

/** Items of the conversation as the model sees them: calls have other names than those of hooks. */
const readItem = byType({
  message: readSaid,
  reasoning: readSaid,
  function_call: readCall,
  custom_tool_call: readCall,
  local_shell_call: readCall,
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
});

/** Reads what a line holds. */
const payloadBy =
  (read: ReadLine): ReadLine =>
  (line, state, at) =>
    read(objectOf(line, "payload"), state, at);

/**
 * Codex 0.169: ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl, and archived_sessions. Its lines have the ids of its
 * hooks and its log records: turn and call. A request has one in the lines alone, and is known by its tokens and its time.
 */
export const codex: Transcript = {
  source: "codex",
  session(line, state) {
    if (line["type"] !== "session_meta") return state.session;
    const meta = objectOf(line, "payload");
    // A file may begin with the lines of the session that it was made from. A subagent is a session of its own.
    const own = isSubagent(meta) ? textOf(meta, "id") : undefined;
    return state.session ?? own ?? textOf(meta, "session_id") ?? textOf(meta, "id");
  },
  read: byType({
    session_meta: payloadBy(aboutSession),
    turn_context: payloadBy(readContext),
    response_item: payloadBy(readItem),
    token_usage_record: payloadBy((payload, state, at) => {
      state["counted"] = true;
      return request(objectOf(payload, "usage"), textOf(payload, "response_id"), state, at);
    }),
    compacted: (_, state, at) => [compaction(state, at)],
    event_msg: payloadBy(readEvent),
  }),
};

const isSubagent = (meta: Payload): boolean => meta["thread_source"] === "subagent" && "session_id" in meta;

const ABOUT = { cwd: "cwd", version: "cli_version", gitBranch: "git.branch", gitCommit: "git.commit_hash" };

function aboutSession(meta: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const parentSession = isSubagent(meta) ? textOf(meta, "session_id") : undefined;
  if (parentSession !== undefined) state["parent"] ??= parentSession;
  const { name = "default" } = textsIn(meta, { name: "source.subagent.thread_spawn.agent_role" });
  const sessionMetadata = { ...textsIn(meta, ABOUT), ...(parentSession !== undefined && { parentSession }) };
  return [{ startedAt, sessionMetadata }, ...asSubagent(state, { startedAt, name })];
}

/** The turn that goes on. */
function readContext(payload: Payload, state: State): [] {
  state.turn = textOf(payload, "turn_id") ?? state.turn;
  state["model"] = textOf(payload, "model") ?? state["model"];
  return [];
}

const turnOf = (state: State): PartialObservation => ({ kind: "turn", id: state.turn, model: textOf(state, "model") });

/** A subagent's file tells the session around it of the subagent. */
function asSubagent(state: State, more: PartialObservation): PartialObservation[] {
  const session = textOf(state, "parent");
  return session === undefined ? [] : [{ session, kind: "subagent", id: state.session, ...more }];
}

function asked(state: State, prompt: string | undefined, startedAt: number | undefined): PartialObservation[] {
  const told = { args: whole(prompt), startedAt };
  return [{ ...turnOf(state), ...told }, ...asSubagent(state, told)];
}

/** The verdict of a command: the output of its call shows it in words alone. */
function commandEnd(
  item: Payload,
  id: string | undefined,
  { turn }: State,
  endedAt: number | undefined,
): PartialObservation {
  const { secs, nanos } = objectOf(item, "duration");
  const latency = typeof secs === "number" && typeof nanos === "number" ? secs * 1_000 + nanos / 1e6 : undefined;
  const code = numberOf(item, "exit_code") ?? 0;
  const error = textOf(item, "aggregated_output") ?? `Process exited with code ${code}`;
  return { kind: "tool", id, turn, latency, endedAt, ends: "event", ...(code !== 0 && outcome(true, error)) };
}

function readSaid(item: Payload, state: State, at: number | undefined): [] {
  if (item["role"] !== "user") state["said"] = at;
  return [];
}

function readCall(item: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  state["said"] = startedAt;
  const call = { kind: "tool", id: textOf(item, "call_id"), turn: state.turn } as const;
  const args = whole(item["arguments"] ?? item["input"] ?? item["action"]);
  return [{ ...call, name: textOf(item, "name") ?? "shell", nameIsGeneric: true, args, startedAt }];
}

function readOutput(item: Payload, { turn }: State, endedAt: number | undefined): PartialObservation[] {
  const [id, text] = [textOf(item, "call_id"), outputOf(item["output"])];
  const failure = isFailedExit(text) && outcome(true, text);
  return [
    { ...{ kind: "tool", id, turn, result: whole(text), endedAt, ends: "event" }, ...failure },
    ...subagentBegunBy(id, text).map((each) => ({ ...each, turn })),
  ];
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
  return request(objectOf(info, "last_token_usage"), `${state.turn} ${total}`, state, at);
}

const USAGE = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_input_tokens",
};

/** A model's request. It was over when the last item of its answer was written: what runs after that may take long. */
function request(sent: Payload, id: string | undefined, state: State, at: number | undefined): PartialObservation[] {
  const [model, usage, startedAt] = [textOf(state, "model"), usageIn(sent, USAGE), timeIn(state, "said") ?? at];
  return [{ kind: "llm", id, turn: state.turn, name: model, model, usage, startedAt }];
}

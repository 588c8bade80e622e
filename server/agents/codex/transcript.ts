import type { PartialObservation } from "../agent-hooks.ts";
import {
  type Payload,
  readNumber,
  readObject,
  readString,
  readTexts,
  readTime,
  readUsage,
  toObservedText,
} from "../fields.ts";
import {
  addOrigin,
  createCompaction,
  createReaderByLineType,
  failedTurn,
  holdPossibleLastReply,
  type ReadLine,
  readText,
  type TranscriptReader,
  type TranscriptReaderState,
  TURN_INTERRUPTED_ERROR,
} from "../transcript.ts";
import { readCallBegin, readCallEnd, readCommandEnd } from "./calls.ts";

const readCompleted = createReaderByLineType({
  UserMessage: (item, state, at) => asked(state, readText(item), at),
  CommandExecution: (item, state, at) => [readCommandEnd(item, readString(item, "id"), state, at)],
});

const readEvent = createReaderByLineType({
  task_started: (payload, state, startedAt) => {
    readContext(payload, state);
    return [{ ...turnOf(state), startedAt }];
  },
  user_message: (payload, state, at) => [...endUnnamed(state), ...asked(state, readString(payload, "message"), at)],
  agent_message: (payload, state, at) => {
    if (state.turn === undefined) holdPossibleLastReply(state, readString(payload, "message"), at);
    return [];
  },
  task_complete: (payload, state, endedAt) => {
    const end = { result: toObservedText(readString(payload, "last_agent_message")), endedAt };
    return [{ ...turnOf(state), ...end, ends: "turn" }, ...asSubagent(state, { ...end, ends: "event" })];
  },
  turn_aborted: (payload, state, at) => {
    const reason = readString(payload, "reason") ?? "aborted";
    return [
      { ...turnOf(state), ...failedTurn(state.turn, reason === "interrupted" ? TURN_INTERRUPTED_ERROR : reason, at) },
    ];
  },
  token_count: (payload, state, at) =>
    state["counted"] === true ? [] : tokenCount(readObject(payload, "info"), state, at),
  thread_name_updated: (payload, _, startedAt) => [
    { startedAt, sessionMetadata: readTexts(payload, { title: "thread_name" }) },
  ],
  exec_command_end: (payload, state, at) => [readCommandEnd(payload, readString(payload, "call_id"), state, at)],
  item_completed: (payload, state, at) => readCompleted(readObject(payload, "item"), state, at),
});

/**
 * Readers for conversation items, which have the form that the model receives. Tool calls have different names in these
 * items than in hooks.
 */
const readItem = createReaderByLineType({
  message: readSaid,
  reasoning: readSaid,
  function_call: readCallBegin,
  custom_tool_call: readCallBegin,
  local_shell_call: readCallBegin,
  function_call_output: readCallEnd,
  custom_tool_call_output: readCallEnd,
});

/** Applies a reader to the payload of a line. */
const payloadBy =
  (read: ReadLine): ReadLine =>
  (line, state, at) =>
    read(readObject(line, "payload"), state, at);

/**
 * Returns true for the first line of a file from early 2025. The conversation items of such a file have no envelope and
 * no time.
 */
const isLegacyMeta = (line: Payload): boolean => !("type" in line) && "instructions" in line && "timestamp" in line;

/**
 * Applies a reader to an item without a time. Each item gets a time one millisecond after the previous item, so that
 * the items keep their order.
 */
const atNext =
  (read: ReadLine): ReadLine =>
  (line, state) => {
    const at = readTime(state, "legacyAt");
    if (at === undefined) return [];
    state["legacyAt"] = at + 1;
    return read(line, state, at + 1);
  };

/** Texts that Codex sends as if the user had written them. */
const CONTEXT = /^<(?:environment_context|user_instructions)>/;

function readLegacyMessage(item: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const text = readText(item);
  if (item["role"] === "user")
    return text && !CONTEXT.test(text) ? [...endUnnamed(state), ...asked(state, text, at)] : [];
  if (item["role"] === "assistant") holdPossibleLastReply(state, text, at);
  return [];
}

const LEGACY_ITEMS = {
  message: atNext(readLegacyMessage),
  ...Object.fromEntries(
    ["reasoning", "function_call", "local_shell_call", "function_call_output"].map((type) => [type, atNext(readItem)]),
  ),
};

/**
 * Reads the files of Codex 0.169: ~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl, and archived_sessions. The
 * lines contain the same ids of turns and calls as hooks and log records. Only the lines contain an id of a model call,
 * so model calls are matched by tokens and time.
 */
export const codex: TranscriptReader = {
  source: "codex",
  session(line, state) {
    if (isLegacyMeta(line)) {
      state["legacyAt"] = readTime(line);
      return readString(line, "id");
    }
    if (line["type"] !== "session_meta") return state.session;
    const meta = readObject(line, "payload");
    // The first `session_meta` line decides the session, because the file of a fork also contains lines of the session
    // that was forked. A subagent is a separate session.
    const own = isSubagent(meta) ? readString(meta, "id") : undefined;
    return state.session ?? own ?? readString(meta, "session_id") ?? readString(meta, "id");
  },
  read: createReaderByLineType({
    session_meta: payloadBy(aboutSession),
    turn_context: payloadBy(readContext),
    response_item: payloadBy(readItem),
    token_usage_record: payloadBy((payload, state, at) => {
      state["counted"] = true;
      return request(readObject(payload, "usage"), readString(payload, "response_id"), state, at);
    }),
    compacted: (_, state, at) => [createCompaction(state, at)],
    event_msg: payloadBy(readEvent),
    ...LEGACY_ITEMS,
  }),
  close: (state, end) => (end ? endUnnamed(state) : []),
};

const isSubagent = (meta: Payload): boolean => meta["thread_source"] === "subagent" && "session_id" in meta;

const ABOUT = {
  cwd: "cwd",
  version: "cli_version",
  forkedFrom: "forked_from_id",
  gitBranch: "git.branch",
  gitCommit: "git.commit_hash",
};

function aboutSession(
  meta: Payload,
  state: TranscriptReaderState,
  startedAt: number | undefined,
): PartialObservation[] {
  addOrigin(state, readString(meta, "forked_from_id"));
  const isOwn = [readString(meta, "id"), readString(meta, "session_id")].includes(state.session);
  if (!isOwn) {
    addOrigin(state, readString(meta, "id"));
    return [];
  }
  const parentSession = isSubagent(meta) ? readString(meta, "session_id") : undefined;
  if (parentSession !== undefined) state["parent"] ??= parentSession;
  const { name = "default" } = readTexts(meta, { name: "source.subagent.thread_spawn.agent_role" });
  const sessionMetadata = { ...readTexts(meta, ABOUT), ...(parentSession !== undefined && { parentSession }) };
  return [{ startedAt, sessionMetadata }, ...asSubagent(state, { startedAt, name })];
}

/** Reads the current turn and model. */
function readContext(payload: Payload, state: TranscriptReaderState): [] {
  state.turn = readString(payload, "turn_id") ?? state.turn;
  state["model"] = readString(payload, "model") ?? state["model"];
  return [];
}

/**
 * Ends a turn of a Codex version up to 0.46, which writes neither turn ids nor ends of turns. The last message of the
 * agent is the reply of the turn that began last.
 */
function endUnnamed(state: TranscriptReaderState): PartialObservation[] {
  const reply = readObject(state, "reply");
  const result = readString(reply, "result");
  state["reply"] = undefined;
  if (state.turn !== undefined || result === undefined) return [];
  const endedAt = readTime(reply, "endedAt");
  return [{ kind: "turn", id: `ended ${endedAt}`, result: toObservedText(result), endedAt, ends: "turn" }];
}

const turnOf = (state: TranscriptReaderState): PartialObservation => ({
  kind: "turn",
  id: state.turn,
  model: readString(state, "model"),
});

/**
 * Returns an observation of the subagent for the session that started the subagent. Returns an empty list if the file
 * does not belong to a subagent.
 */
function asSubagent(state: TranscriptReaderState, more: PartialObservation): PartialObservation[] {
  const session = readString(state, "parent");
  return session === undefined ? [] : [{ session, kind: "subagent", id: state.session, ...more }];
}

function asked(
  state: TranscriptReaderState,
  prompt: string | undefined,
  startedAt: number | undefined,
): PartialObservation[] {
  const told = { args: toObservedText(prompt), startedAt };
  return [{ ...turnOf(state), ...told }, ...asSubagent(state, told)];
}

function readSaid(item: Payload, state: TranscriptReaderState, at: number | undefined): [] {
  if (item["role"] !== "user") state["said"] = at;
  return [];
}

/**
 * Old versions report a model call only by its token counts. Old versions repeat the report if only the rate limits
 * changed, so a report with an unchanged total is ignored.
 */
function tokenCount(info: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const total = readNumber(readObject(info, "total_token_usage"), "total_tokens");
  if (total === undefined || total === state["total"]) return [];
  state["total"] = total;
  return request(readObject(info, "last_token_usage"), `${state.turn} ${total}`, state, at);
}

const USAGE = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_input_tokens",
};

/**
 * Creates a model call. The call ended when the last item of its response was written, because later work, such as
 * commands, may take long.
 */
function request(
  sent: Payload,
  id: string | undefined,
  state: TranscriptReaderState,
  at: number | undefined,
): PartialObservation[] {
  const [model, usage, startedAt] = [readString(state, "model"), readUsage(sent, USAGE), readTime(state, "said") ?? at];
  return [{ kind: "llm", id, turn: state.turn, name: model, model, usage, startedAt }];
}

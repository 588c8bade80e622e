import type { PartialObservation } from "../agent-hooks.ts";
import {
  joinTexts,
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  readTexts,
  readTime,
  readUsage,
  toObservedText,
} from "../fields.ts";
import type { ReportedUsage } from "../observation.ts";
import { COMPACTION, HOUR_WRITE } from "../observation.ts";
import {
  addOrigin,
  createReaderByLineType,
  endTurnWithHeldReply,
  failedTurn,
  holdPossibleLastReply,
  MAX_CARRIED_CHARS,
  readText,
  type TranscriptReader,
  type TranscriptReaderState,
  TURN_INTERRUPTED_ERROR,
} from "../transcript.ts";
import { readCallBegin, readCallEnd, readTypedCommand } from "./calls.ts";
import { beginInlineSubagent, findInlineSubagentId, rememberTaskCall } from "./inline-subagents.ts";

/**
 * Reads the files of Claude Code 2.1: ~/.claude/projects/<folder>/<session>.jsonl, and
 * <session>/subagents/agent-<id>.jsonl. The lines contain the same ids of prompts, tool uses, requests and agents as
 * hooks and log records.
 */
export const claudeCode: TranscriptReader = {
  source: "claude-code",
  session(line, state) {
    // The file of a fork begins with a copy of the lines of the session that was forked.
    addOrigin(state, readString(readObject(line, "forkedFrom"), "sessionId"));
    return readString(line, "sessionId");
  },
  read: createReaderByLineType(
    {
      user: readUser,
      assistant: readAssistant,
      system: readSystem,
      "api-request": (line, state, at) => {
        state["request"] = { id: readString(line, "id"), at };
        return [];
      },
      attachment: commitOf,
    },
    titleOf,
  ),
  close: (state, end) => (end ? [...flush(state), ...endTurnWithHeldReply(state)] : answerOf(state)),
};

function readUser(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const [message, prompt] = [readObject(line, "message"), readString(line, "promptId")];
  const results = readObjects(message, "content").filter(({ type }) => type === "tool_result");
  const before = flush(state);
  if (results.length > 0) {
    state.turn = prompt ?? state.turn;
    holdPossibleLastReply(state, undefined, undefined);
    return [...before, ...results.flatMap((result) => readCallEnd(result, line, state, results.length === 1))];
  }
  const text = readText(message);
  if (line["isCompactSummary"] === true) return [...before, ...compaction(state, prompt)];
  if (line["isMeta"] === true || text === undefined || LOCAL.test(text)) return before;
  if (STOPPED.test(text)) return [...before, ...stopped(line, state, at)];
  if (isInside(line)) {
    state.turn = prompt ?? state.turn;
    if (line["parentUuid"] !== null) return before;
    const begun = { args: toObservedText(text), startedAt: at };
    const id = readString(line, "agentId");
    if (id !== undefined) return [...before, { ...subagent(id, {}, state), ...begun }];
    const inline = beginInlineSubagent(state, line, text);
    return inline ? [...before, { ...subagent(inline.id, {}, state), ...begun, parentCall: inline.call }] : before;
  }
  const last = endTurnWithHeldReply(state);
  state.turn = prompt ?? readString(line, "uuid");
  const sessionMetadata = readTexts(line, { cwd: "cwd", gitBranch: "gitBranch", version: "version" });
  const turn = {
    kind: "turn",
    id: state.turn,
    args: toObservedText(readTypedCommand(text)),
    startedAt: at,
    sessionMetadata,
  } as const;
  return [...before, ...last, turn];
}

/** Lines that Claude Code writes around commands that the user ran directly. */
const LOCAL = /^<(?:local-command-|bash-)/;
const STOPPED = /^\[Request interrupted by user/;
const isInside = (line: Payload): boolean => line["isSidechain"] === true;

function stopped(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  holdPossibleLastReply(state, undefined, undefined);
  return isInside(line) ? [] : [failedTurn(state.turn, TURN_INTERRUPTED_ERROR, at)];
}

/** Each line is one block of a response. Each block repeats the token counts of the whole response. */
function readAssistant(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const message = readObject(line, "message");
  const { turn } = state;
  const text = readText({ content: readObjects(message, "content").filter(({ type }) => type === "text") });
  if (line["isApiErrorMessage"] === true) return [...flush(state), failedTurn(turn, text ?? "", at)];
  const sentId = readString(line, "requestId") ?? readString(message, "id");
  const before = readString(readObject(state, "answer"), "sentId") === sentId ? [] : flush(state);
  const usage = readUsage(readObject(message, "usage"), USAGE);
  const id = responseId(sentId, usage, line, state);
  const known = readObject(state, "answer");
  const calls = readObjects(message, "content").filter(({ type }) => type === "tool_use");
  const sent = requestedAt(line, state);
  const agent = findInlineSubagentId(state, line);
  for (const call of calls) rememberTaskCall(state, call);
  state["answer"] = {
    ...{ id, sentId },
    text: joinTexts([readString(known, "text") ?? [], text ?? []].flat())?.slice(0, MAX_CARRIED_CHARS),
    startedAt: sent ?? readTime(known, "startedAt") ?? at,
    // If the time of the request is unknown, the first block's time is the start, and the end is left out because the
    // duration is unknown.
    endedAt: sent === undefined ? undefined : at,
    at,
    model: readString(message, "model"),
    agent,
    agentType: readString(line, "attributionAgent"),
    usage,
    hourWrite: readNumber(readObject(readObject(message, "usage"), "cache_creation"), HOUR_WRITE),
    stop: readString(message, "stop_reason"),
    calls: (readNumber(known, "calls") ?? 0) + calls.length,
  };
  return [...before, ...calls.map((call) => ({ ...readCallBegin(call, agent), startedAt: at, turn }))];
}

/** Returns the time at which the request was sent, if the preceding line contains that time. */
function requestedAt(line: Payload, state: TranscriptReaderState): number | undefined {
  const request = readObject(state, "request");
  const reference = readString(line, "requestRef");
  return reference !== undefined && request["id"] === reference ? readTime(request, "at") : undefined;
}

/**
 * Returns the id of a response. Some gateways give the same id to all responses. If the sent id was already used for a response
 * of another turn, or of a prompt with other token counts, the function returns the id of the line instead.
 */
function responseId(
  sentId: string | undefined,
  usage: ReportedUsage,
  line: Payload,
  state: TranscriptReaderState,
): string | undefined {
  const last = readObject(state, "answered");
  const { inputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const prompt = JSON.stringify([state.turn, inputTokens, cacheReadTokens, cacheWriteTokens]);
  const follows = readString(readObject(state, "answer"), "sentId") === sentId || readString(last, "prompt") === prompt;
  const isReused = sentId !== undefined && readString(last, "sentId") === sentId;
  const id = isReused ? readString(follows ? last : line, follows ? "id" : "uuid") : sentId;
  state["answered"] = { id, sentId, prompt };
  return id;
}

const USAGE = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cache_read_input_tokens",
  cacheWriteTokens: "cache_creation_input_tokens",
};

/** Stop reasons of a final response. A response with tool calls has another reason, and old versions write none. */
const LAST = /^(?:end_turn|stop_sequence|max_tokens|refusal)$/;

/** Returns the response read so far, and the end of the turn or subagent if the response is final. */
function answerOf(state: TranscriptReaderState): PartialObservation[] {
  const answer = readObject(state, "answer");
  const [id, model, agent] = [readString(answer, "id"), readString(answer, "model"), readString(answer, "agent")];
  if (id === undefined) return [];
  const [turn, result] = [state.turn, toObservedText(readString(answer, "text"))];
  const [startedAt, endedAt] = [readTime(answer, "startedAt"), readTime(answer, "endedAt")];
  const usage = readObject(answer, "usage") as ReportedUsage;
  const hourWrite = readNumber(answer, "hourWrite");
  const metadata = hourWrite ? { [HOUR_WRITE]: hourWrite } : undefined;
  const request = { id, turn, parentCall: agent, name: model, model, result, usage, metadata, startedAt, endedAt };
  const isEnd = LAST.test(readString(answer, "stop") ?? "") && readNumber(answer, "calls") === 0;
  const at = readTime(answer, "at");
  const ended = agent === undefined ? ({ kind: "turn", id: turn } as const) : subagent(agent, answer, state);
  const end: PartialObservation[] = isEnd
    ? [{ ...ended, result, endedAt: at, ends: agent === undefined ? "turn" : "event" }]
    : [];
  return [{ kind: "llm", ...request }, ...end];
}

/**
 * Returns the response that was read so far, and removes the response from the state. Called when the next line, or the
 * end of the file, shows that the response is complete.
 */
function flush(state: TranscriptReaderState): PartialObservation[] {
  const answer = readObject(state, "answer");
  const found = answerOf(state);
  if (found.length === 1 && readString(answer, "agent") === undefined)
    holdPossibleLastReply(
      state,
      readNumber(answer, "calls") === 0 ? readString(answer, "text") : undefined,
      readTime(answer, "at"),
    );
  state["answer"] = undefined;
  return found;
}

const subagent = (
  id: string | undefined,
  { agentType }: Payload,
  state: TranscriptReaderState,
): PartialObservation => ({
  kind: "subagent",
  id,
  turn: state.turn,
  name: typeof agentType === "string" ? agentType : undefined,
});

function readSystem(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  if (line["subtype"] !== "compact_boundary") return [];
  const about = readObject(line, "compactMetadata");
  state["compaction"] = { trigger: readString(about, "trigger"), latency: readNumber(about, "durationMs"), at };
  return flush(state);
}

/**
 * Returns the observation of a compaction, in the same form as from a log record. Called at the line with the summary,
 * which follows the compaction's own line and names the turn.
 */
function compaction(state: TranscriptReaderState, prompt: string | undefined): PartialObservation[] {
  const about = readObject(state, "compaction");
  state["compaction"] = undefined;
  const [at, trigger] = [readTime(about, "at"), readString(about, "trigger")];
  if (at === undefined) return [];
  const [turn, latency] = [prompt ?? state.turn, readNumber(about, "latency")];
  return [{ kind: "other", name: COMPACTION, turn, endedAt: at, latency, metadata: { trigger } }];
}

/** Reads the newest commit from the repository status that Claude Code gives to its model. */
function commitOf(line: Payload, _: TranscriptReaderState, startedAt: number | undefined): PartialObservation[] {
  const { status = "" } = readTexts(line, { status: "attachment.context.gitStatus" });
  const gitCommit = /^Recent commits:\n([0-9a-f]{7,40}) /m.exec(status)?.[1];
  return gitCommit === undefined ? [] : [{ startedAt, sessionMetadata: { gitCommit } }];
}

/** A title from the user takes precedence over a generated title. */
function titleOf(line: Payload, state: TranscriptReaderState, startedAt: number | undefined): PartialObservation[] {
  const own = readString(line, "customTitle");
  if (own !== undefined) state["titled"] = true;
  const title = own ?? (state["titled"] ? undefined : (readString(line, "aiTitle") ?? readString(line, "summary")));
  return title === undefined ? [] : [{ startedAt, sessionMetadata: { title } }];
}

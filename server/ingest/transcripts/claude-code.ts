import { readOwn } from "../../../formats/own.ts";
import {
  joined,
  numberOf,
  objectOf,
  objectsOf,
  type Payload,
  textOf,
  textsIn,
  timeIn,
  usageIn,
  whole,
} from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { claudeCode as hooks } from "../hooks/claude-code.ts";
import { COMPACTION } from "../observe/fold/groups.ts";
import type { Usage } from "../observe/observation.ts";
import {
  byType,
  CARRIED_CHARS,
  endWithReply,
  failedTurn,
  holdReply,
  INTERRUPTED,
  type State,
  type Transcript,
  textIn,
} from "./transcript.ts";

/**
 * Claude Code 2.1: ~/.claude/projects/<folder>/<session>.jsonl, and <session>/subagents/agent-<id>.jsonl beside. Its lines have
 * the ids of its hooks and its log records: prompt, tool use, request, agent.
 */
export const claudeCode: Transcript = {
  source: "claude-code",
  session: (line) => textOf(line, "sessionId"),
  read: byType(
    {
      user: readUser,
      assistant: readAssistant,
      system: readSystem,
      "api-request": (line, state, at) => {
        state["request"] = { id: textOf(line, "id"), at };
        return [];
      },
      attachment: commitOf,
    },
    titleOf,
  ),
  close: (state, end) => (end ? [...flush(state), ...endWithReply(state)] : answerOf(state)),
};

function readUser(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const [message, prompt] = [objectOf(line, "message"), textOf(line, "promptId")];
  const results = objectsOf(message, "content").filter(({ type }) => type === "tool_result");
  const before = flush(state);
  if (results.length > 0) {
    state.turn = prompt ?? state.turn;
    holdReply(state, undefined, undefined);
    return [...before, ...results.flatMap((result) => callEnd(result, line, state.turn, results.length === 1))];
  }
  const text = textIn(message);
  if (line["isCompactSummary"] === true) return [...before, ...compaction(state, prompt)];
  if (line["isMeta"] === true || text === undefined || LOCAL.test(text)) return before;
  if (STOPPED.test(text)) return [...before, ...stopped(line, state, at)];
  if (isInside(line)) {
    state.turn = prompt ?? state.turn;
    if (line["parentUuid"] !== null) return before;
    return [...before, { ...subagent(textOf(line, "agentId"), {}, state), args: whole(text), startedAt: at }];
  }
  const last = endWithReply(state);
  state.turn = prompt ?? textOf(line, "uuid");
  const sessionMetadata = textsIn(line, { cwd: "cwd", gitBranch: "gitBranch", version: "version" });
  const turn = { kind: "turn", id: state.turn, args: whole(commandOf(text)), startedAt: at, sessionMetadata } as const;
  return [...before, ...last, turn];
}

/** Lines that Claude Code writes around what a person ran by themselves. */
const LOCAL = /^<(?:local-command-|bash-)/;
const STOPPED = /^\[Request interrupted by user/;
const COMMAND = /<command-name>([^<]+)<\/command-name>/;
const ARGUMENTS = /<command-args>([^<]+)<\/command-args>/;

/** A command as it was typed. */
function commandOf(text: string): string {
  const name = /^<command-/.test(text) ? COMMAND.exec(text)?.[1] : undefined;
  return name === undefined ? text : [name, ARGUMENTS.exec(text)?.[1] ?? []].flat().join(" ");
}

const isInside = (line: Payload): boolean => line["isSidechain"] === true;

function stopped(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  holdReply(state, undefined, undefined);
  return isInside(line) ? [] : [failedTurn(state.turn, INTERRUPTED, at)];
}

/** The end of a call, as its hook reports it. Files of subagents have the text alone that the model saw. */
function callEnd(result: Payload, line: Payload, turn: string | undefined, isOnly: boolean): PartialObservation[] {
  const content = textIn(result);
  const structured = isOnly ? line["toolUseResult"] : undefined;
  const isFailed = result["is_error"] === true;
  const payload: Payload = {
    tool_use_id: result["tool_use_id"],
    agent_id: line["agentId"],
    tool_response: typeof structured === "object" && structured !== null ? structured : content,
    error: content,
  };
  const found = asHook(isFailed ? "PostToolUseFailure" : "PostToolUse", payload, timeIn(line) ?? 0);
  return found.map((each) => ({ ...each, endedAt: each.endedAt || undefined, turn }));
}

/** A line is one block of an answer. The blocks of one answer come one after the other, and each has all of its tokens. */
function readAssistant(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const message = objectOf(line, "message");
  const { turn } = state;
  const text = textIn({ content: objectsOf(message, "content").filter(({ type }) => type === "text") });
  if (line["isApiErrorMessage"] === true) return [...flush(state), failedTurn(turn, text ?? "", at)];
  const id = textOf(line, "requestId") ?? textOf(message, "id");
  const before = textOf(objectOf(state, "answer"), "id") === id ? [] : flush(state);
  const known = objectOf(state, "answer");
  const calls = objectsOf(message, "content").filter(({ type }) => type === "tool_use");
  const sent = requestedAt(line, state);
  state["answer"] = {
    id,
    text: joined([textOf(known, "text") ?? [], text ?? []].flat())?.slice(0, CARRIED_CHARS),
    startedAt: sent ?? timeIn(known, "startedAt") ?? at,
    // Without the time of the request, that of the first block stands for the beginning, and the end says nothing.
    endedAt: sent === undefined ? undefined : at,
    at,
    model: textOf(message, "model"),
    agent: textOf(line, "agentId"),
    agentType: textOf(line, "attributionAgent"),
    usage: usageIn(objectOf(message, "usage"), USAGE),
    stop: textOf(message, "stop_reason"),
    calls: (numberOf(known, "calls") ?? 0) + calls.length,
  };
  return [...before, ...calls.map((call) => ({ ...callBegin(call, line), startedAt: at, turn }))];
}

/** When the request was sent, where the line before says it. */
function requestedAt(line: Payload, state: State): number | undefined {
  const request = objectOf(state, "request");
  const reference = textOf(line, "requestRef");
  return reference !== undefined && request["id"] === reference ? timeIn(request, "at") : undefined;
}

function callBegin(block: Payload, line: Payload): PartialObservation {
  const { id, name, input } = block;
  const payload = { tool_use_id: id, tool_name: name, tool_input: input, agent_id: line["agentId"] };
  return asHook("PreToolUse", payload, 0)[0] ?? {};
}

/** The observations of a hook's event. */
const asHook = (event: string, payload: Payload, at: number): PartialObservation[] =>
  [readOwn(hooks.events, event)?.(payload, at) ?? []].flat();

const USAGE = {
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cacheReadTokens: "cache_read_input_tokens",
  cacheWriteTokens: "cache_creation_input_tokens",
};

/** The reasons for which a model stops with its last word. A call to come has another one, and old versions write none. */
const LAST = /^(?:end_turn|stop_sequence|max_tokens|refusal)$/;

/** The answer as far as it was read, and the end that it is of its turn or its subagent. */
function answerOf(state: State): PartialObservation[] {
  const answer = objectOf(state, "answer");
  const [id, model, agent] = [textOf(answer, "id"), textOf(answer, "model"), textOf(answer, "agent")];
  if (id === undefined) return [];
  const [turn, result] = [state.turn, whole(textOf(answer, "text"))];
  const [startedAt, endedAt] = [timeIn(answer, "startedAt"), timeIn(answer, "endedAt")];
  const usage = objectOf(answer, "usage") as Usage;
  const request = { id, turn, parentCall: agent, name: model, model, result, usage, startedAt, endedAt };
  const isEnd = LAST.test(textOf(answer, "stop") ?? "") && numberOf(answer, "calls") === 0;
  const at = timeIn(answer, "at");
  const ended = agent === undefined ? ({ kind: "turn", id: turn } as const) : subagent(agent, answer, state);
  const end: PartialObservation[] = isEnd
    ? [{ ...ended, result, endedAt: at, ends: agent === undefined ? "turn" : "event" }]
    : [];
  return [{ kind: "llm", ...request }, ...end];
}

/** The answer that is over, since another line came. */
function flush(state: State): PartialObservation[] {
  const answer = objectOf(state, "answer");
  const found = answerOf(state);
  if (found.length === 1 && textOf(answer, "agent") === undefined)
    holdReply(state, numberOf(answer, "calls") === 0 ? textOf(answer, "text") : undefined, timeIn(answer, "at"));
  state["answer"] = undefined;
  return found;
}

const subagent = (id: string | undefined, { agentType }: Payload, state: State): PartialObservation => ({
  kind: "subagent",
  id,
  turn: state.turn,
  name: typeof agentType === "string" ? agentType : undefined,
});

function readSystem(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  if (line["subtype"] !== "compact_boundary") return [];
  const about = objectOf(line, "compactMetadata");
  state["compaction"] = { trigger: textOf(about, "trigger"), latency: numberOf(about, "durationMs"), at };
  return flush(state);
}

/** A compaction, as its log record reports it. The line with the summary, behind its own, names the turn. */
function compaction(state: State, prompt: string | undefined): PartialObservation[] {
  const about = objectOf(state, "compaction");
  state["compaction"] = undefined;
  const [at, trigger] = [timeIn(about, "at"), textOf(about, "trigger")];
  if (at === undefined) return [];
  const [turn, latency] = [prompt ?? state.turn, numberOf(about, "latency")];
  return [{ kind: "other", name: COMPACTION, turn, endedAt: at, latency, metadata: { trigger } }];
}

/** The newest commit, of what Claude Code tells its model about the repository. */
function commitOf(line: Payload, _: State, startedAt: number | undefined): PartialObservation[] {
  const { status = "" } = textsIn(line, { status: "attachment.context.gitStatus" });
  const gitCommit = /^Recent commits:\n([0-9a-f]{7,40}) /m.exec(status)?.[1];
  return gitCommit === undefined ? [] : [{ startedAt, sessionMetadata: { gitCommit } }];
}

/** A title that a person gave goes before one that was made up. */
function titleOf(line: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const own = textOf(line, "customTitle");
  if (own !== undefined) state["titled"] = true;
  const title = own ?? (state["titled"] ? undefined : (textOf(line, "aiTitle") ?? textOf(line, "summary")));
  return title === undefined ? [] : [{ startedAt, sessionMetadata: { title } }];
}

import type { PartialObservation } from "../agent-hooks.ts";
import {
  hasFailedExitCode,
  joinTexts,
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  readTime,
  readUsage,
  toObservedText,
  toText,
} from "../fields.ts";
import { THOUGHTS } from "../observation.ts";
import {
  callOutcome,
  createReaderByLineType,
  endTurnWithHeldReply,
  holdPossibleLastReply,
  readText,
  type TranscriptReader,
  type TranscriptReaderState,
} from "../transcript.ts";
import { removeFence } from "./hooks.ts";

/**
 * Reads the files of Gemini CLI 0.61: ~/.gemini/tmp/<project>/chats/session-*.jsonl. Earlier versions wrote one JSON
 * object per session. Hooks and log records contain no ids, so turns, calls and model calls are matched by name, input
 * and time.
 */
export const geminiCli: TranscriptReader = {
  source: "gemini-cli",
  // The transcript file of a subagent contains the subagent's own id. The folder of the file names the session.
  session(line, state) {
    if (line["kind"] !== "subagent") return readString(line, "sessionId");
    state["inner"] = true;
    return state.session;
  },
  read: createReaderByLineType({ user: readUser, gemini: readAnswer }),
  close: (state, end) => (end ? endOf(state) : []),
};

/**
 * Gemini CLI sends its context as a user message before the first prompt. Gemini CLI also puts the results of tool
 * calls into user messages.
 */
const CONTEXT = /^<session_context>/;

function readUser(line: Payload, state: TranscriptReaderState, startedAt: number | undefined): PartialObservation[] {
  const text = readText(line);
  if (text === undefined || CONTEXT.test(text) || state["inner"] === true) return [];
  const last = endOf(state);
  state["prompt"] = text.slice(0, PROMPT_CHARS);
  state.turn = readString(line, "id");
  const { turn, cwd } = state;
  const sessionMetadata = cwd === undefined ? undefined : { cwd };
  return [...last, { kind: "turn", id: turn, args: toObservedText(text), startedAt, sessionMetadata }];
}

/**
 * Maximum characters of a prompt that the state carries. The maximum is larger than the number of characters by which
 * prompts are matched.
 */
const PROMPT_CHARS = 1_024;

/** Returns the end of a turn together with the prompt. The other reports of the turn are matched by the prompt. */
function endOf(state: TranscriptReaderState): PartialObservation[] {
  const text = readString(state, "prompt") ?? "";
  return endTurnWithHeldReply(state).map((end) => ({
    ...end,
    args: toObservedText(text, text.length === PROMPT_CHARS),
  }));
}

const USAGE = { inputTokens: "tokens.input", outputTokens: "tokens.output", cacheReadTokens: "tokens.cached" };

/**
 * Gemini CLI writes a message when the message starts. After the tool calls of the message end, Gemini CLI writes the
 * message again with the calls.
 */
function readAnswer(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const [model, usage, text] = [readString(line, "model"), readUsage(line, USAGE), readText(line)];
  const calls = readObjects(line, "toolCalls");
  if (state["inner"] !== true) holdPossibleLastReply(state, calls.length === 0 ? text : undefined, at);
  const thoughts = readNumber(readObject(line, "tokens"), "thoughts");
  const metadata = thoughts === undefined ? undefined : { [THOUGHTS]: thoughts };
  const request: PartialObservation = { kind: "llm", id: readString(line, "id"), name: model, model, metadata };
  const isCounted = usage.inputTokens !== undefined;
  return [
    ...(isCounted ? [{ ...request, usage, result: toObservedText(text), startedAt: at }] : []),
    ...calls.map((call) => callOf(call, at)),
  ];
}

/**
 * The time in a call's record is the time when the call ended. The call starts at the time of the message that requests
 * the call.
 */
function callOf(call: Payload, asked: number | undefined): PartialObservation {
  const [text, status] = [resultOf(call), readString(call, "status") ?? ""];
  const [id, name, args] = [readString(call, "id"), readString(call, "name"), toObservedText(call["args"])];
  if (!/^(?:success|error|cancelled)$/.test(status)) return { kind: "tool", id, name, args, startedAt: readTime(call) };
  return {
    ...{ kind: "tool", id, name, args },
    ...callOutcome(status !== "success" || hasFailedExitCode(text), text ?? status),
    result: toObservedText(text),
    startedAt: asked,
    endedAt: readTime(call),
    ends: "event",
  };
}

function resultOf(call: Payload): string | undefined {
  const texts = readObjects(call, "result").flatMap((part) => {
    const response = readObject(readObject(part, "functionResponse"), "response");
    return readString(response, "output") ?? readString(response, "error") ?? [];
  });
  const text = joinTexts(texts) ?? toText(call["resultDisplay"]);
  return text === undefined ? undefined : removeFence(text);
}

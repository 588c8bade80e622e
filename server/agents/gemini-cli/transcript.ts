import type { PartialObservation } from "../agent-hooks.ts";
import {
  isFailedExit,
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
import { byType, callOutcome, endWithReply, holdReply, readText, type State, type Transcript } from "../transcript.ts";
import { removeFence } from "./hooks.ts";

/**
 * Gemini CLI 0.61: ~/.gemini/tmp/<project>/chats/session-*.jsonl; earlier versions wrote one JSON object per session.
 * Hooks and log records contain no ids: turns, calls and model calls are matched by name, input and time.
 */
export const geminiCli: Transcript = {
  source: "gemini-cli",
  // A subagent's file has its own id. The folder of the file names the session.
  session(line, state) {
    if (line["kind"] !== "subagent") return readString(line, "sessionId");
    state["inner"] = true;
    return state.session;
  },
  read: byType({ user: readUser, gemini: readAnswer }),
  close: (state, end) => (end ? endOf(state) : []),
};

/** Gemini CLI puts its context before the first prompt, and results of calls into user messages. */
const CONTEXT = /^<session_context>/;

function readUser(line: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const text = readText(line);
  if (text === undefined || CONTEXT.test(text) || state["inner"] === true) return [];
  const last = endOf(state);
  state["prompt"] = text.slice(0, PROMPT_CHARS);
  state.turn = readString(line, "id");
  const { turn, cwd } = state;
  const sessionMetadata = cwd === undefined ? undefined : { cwd };
  return [...last, { kind: "turn", id: turn, args: toObservedText(text), startedAt, sessionMetadata }];
}

/** Maximum characters of a stored prompt. More than the number of characters by which prompts are matched. */
const PROMPT_CHARS = 1_024;

/** Returns the end of a turn with its prompt, by which the other reports of the turn are matched. */
function endOf(state: State): PartialObservation[] {
  const text = readString(state, "prompt") ?? "";
  return endWithReply(state).map((end) => ({ ...end, args: toObservedText(text, text.length === PROMPT_CHARS) }));
}

const USAGE = { inputTokens: "tokens.input", outputTokens: "tokens.output", cacheReadTokens: "tokens.cached" };

/** Gemini CLI writes a message at its start, and again with its calls after the calls end. */
function readAnswer(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const [model, usage, text] = [readString(line, "model"), readUsage(line, USAGE), readText(line)];
  const calls = readObjects(line, "toolCalls");
  if (state["inner"] !== true) holdReply(state, calls.length === 0 ? text : undefined, at);
  const thoughts = readNumber(readObject(line, "tokens"), "thoughts");
  const metadata = thoughts === undefined ? undefined : { [THOUGHTS]: thoughts };
  const request: PartialObservation = { kind: "llm", id: readString(line, "id"), name: model, model, metadata };
  const isCounted = usage.inputTokens !== undefined;
  return [
    ...(isCounted ? [{ ...request, usage, result: toObservedText(text), startedAt: at }] : []),
    ...calls.map((call) => callOf(call, at)),
  ];
}

/** A call's own time is its end. The call starts at the time of the message that requests the call. */
function callOf(call: Payload, asked: number | undefined): PartialObservation {
  const [text, status] = [resultOf(call), readString(call, "status") ?? ""];
  const [id, name, args] = [readString(call, "id"), readString(call, "name"), toObservedText(call["args"])];
  if (!/^(?:success|error|cancelled)$/.test(status)) return { kind: "tool", id, name, args, startedAt: readTime(call) };
  return {
    ...{ kind: "tool", id, name, args },
    ...callOutcome(status !== "success" || isFailedExit(text), text ?? status),
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

import {
  asText,
  isFailedExit,
  joined,
  objectOf,
  objectsOf,
  type Payload,
  textOf,
  timeIn,
  usageIn,
  whole,
} from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { withoutFence } from "../hooks/gemini-cli.ts";
import { byType, endWithReply, holdReply, outcome, type State, type Transcript, textIn } from "./transcript.ts";

/**
 * Gemini CLI 0.61: ~/.gemini/tmp/<project>/chats/session-*.jsonl; before, one JSON object a session. Its hooks and log records
 * give no ids: turns, calls and requests meet by name, input and time.
 */
export const geminiCli: Transcript = {
  source: "gemini-cli",
  // A subagent's file has an id of its own; the folder that it lies in names the session.
  session(line, state) {
    if (line["kind"] !== "subagent") return textOf(line, "sessionId");
    state["inner"] = true;
    return state.session;
  },
  read: byType({ user: readUser, gemini: readAnswer }),
  close: (state, end) => (end ? endOf(state) : []),
};

/** Gemini CLI puts its surroundings before the first prompt, and results of calls into messages of the user. */
const CONTEXT = /^<session_context>/;

function readUser(line: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  const text = textIn(line);
  if (text === undefined || CONTEXT.test(text) || state["inner"] === true) return [];
  const last = endOf(state);
  state["prompt"] = text.slice(0, PROMPT_CHARS);
  state.turn = textOf(line, "id");
  const { turn, cwd } = state;
  const sessionMetadata = cwd === undefined ? undefined : { cwd };
  return [...last, { kind: "turn", id: turn, args: whole(text), startedAt, sessionMetadata }];
}

/** More than is compared of a prompt. */
const PROMPT_CHARS = 1_024;

/** The end of a turn, with the prompt by which its other reports are found. */
function endOf(state: State): PartialObservation[] {
  const text = textOf(state, "prompt") ?? "";
  return endWithReply(state).map((end) => ({ ...end, args: whole(text, text.length === PROMPT_CHARS) }));
}

const USAGE = { inputTokens: "tokens.input", outputTokens: "tokens.output", cacheReadTokens: "tokens.cached" };

/** A message is written when it begins, and again with its calls when they are over. */
function readAnswer(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const [model, usage, text] = [textOf(line, "model"), usageIn(line, USAGE), textIn(line)];
  const calls = objectsOf(line, "toolCalls");
  if (state["inner"] !== true) holdReply(state, calls.length === 0 ? text : undefined, at);
  const request: PartialObservation = { kind: "llm", id: textOf(line, "id"), name: model, model };
  const isCounted = usage.inputTokens !== undefined;
  return [
    ...(isCounted ? [{ ...request, usage, result: whole(text), startedAt: at }] : []),
    ...calls.map((call) => callOf(call, at)),
  ];
}

/** A call's own time is that of its end. It begins once the message that asks for it is there. */
function callOf(call: Payload, asked: number | undefined): PartialObservation {
  const [text, status] = [resultOf(call), textOf(call, "status") ?? ""];
  const [id, name, args] = [textOf(call, "id"), textOf(call, "name"), whole(call["args"])];
  if (!/^(?:success|error|cancelled)$/.test(status)) return { kind: "tool", id, name, args, startedAt: timeIn(call) };
  return {
    ...{ kind: "tool", id, name, args },
    ...outcome(status !== "success" || isFailedExit(text), text ?? status),
    result: whole(text),
    startedAt: asked,
    endedAt: timeIn(call),
    ends: "event",
  };
}

function resultOf(call: Payload): string | undefined {
  const texts = objectsOf(call, "result").flatMap((part) => {
    const response = objectOf(objectOf(part, "functionResponse"), "response");
    return textOf(response, "output") ?? textOf(response, "error") ?? [];
  });
  const text = joined(texts) ?? asText(call["resultDisplay"]);
  return text === undefined ? undefined : withoutFence(text);
}

import { asText, isFailedExit, objectOf, objectsOf, type Payload, textOf, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { withoutFence } from "../hooks/gemini-cli.ts";
import { endWithReply, holdReply, type State, type Transcript, textIn } from "./transcript.ts";

/**
 * Gemini CLI: ~/.gemini/tmp/<project>/chats/session-*.jsonl; before, one JSON object a session. Its hooks and log records
 * give no ids: turns, calls and requests meet by name, input and time.
 */
export const geminiCli: Transcript = {
  source: "gemini-cli",
  verified: ["0.61.0"],
  // A subagent's file has an id of its own; the folder that it lies in names the session.
  session: (line, state) => (line["kind"] === "subagent" ? textOf(state, "session") : textOf(line, "sessionId")),
  read(line, state) {
    if (line["kind"] === "subagent") state["inner"] = true;
    if (line["type"] === "user") return readUser(line, state);
    if (line["type"] === "gemini") return readAnswer(line, state);
    return [];
  },
  close: (state, end) => (end ? endOf(state) : []),
};

/** Gemini CLI puts its surroundings before the first prompt, and results of calls into messages of the user. */
const CONTEXT = /^<session_context>/;

function readUser(line: Payload, state: State): PartialObservation[] {
  const text = textIn(line);
  if (text === undefined || CONTEXT.test(text) || state["inner"] === true) return [];
  const last = endOf(state);
  state["prompt"] = text.slice(0, PROMPT_CHARS);
  state["turn"] = textOf(line, "id");
  const cwd = textOf(state, "cwd");
  const turn: PartialObservation = { kind: "turn", id: textOf(line, "id"), args: whole(text), startedAt: timeIn(line) };
  return [...last, { ...turn, ...(cwd !== undefined && { sessionMetadata: { cwd } }) }];
}

/** More than is compared of a prompt. */
const PROMPT_CHARS = 1_024;

/** The end of a turn, with the prompt by which its other reports are found. */
function endOf(state: State): PartialObservation[] {
  const text = textOf(state, "prompt") ?? "";
  const args = text.length < PROMPT_CHARS ? { text } : { text, truncated: true };
  return endWithReply(state).map((end) => ({ ...end, args }));
}

const USAGE = { inputTokens: "tokens.input", outputTokens: "tokens.output", cacheReadTokens: "tokens.cached" };

/** A message is written when it begins, and again with its calls when they are over. */
function readAnswer(line: Payload, state: State): PartialObservation[] {
  const [model, at] = [textOf(line, "model"), timeIn(line)];
  const calls = objectsOf(line, "toolCalls");
  if (state["inner"] !== true) holdReply(state, calls.length === 0 ? textIn(line) : undefined, at);
  const usage = usageIn(line, USAGE);
  const request: PartialObservation = { kind: "llm", id: textOf(line, "id"), name: model, model };
  const isCounted = usage.inputTokens !== undefined;
  return [
    ...(isCounted ? [{ ...request, usage, result: whole(textIn(line)), startedAt: at }] : []),
    ...calls.map((call) => callOf(call, at)),
  ];
}

/** A call's own time is that of its end. It begins once the message that asks for it is there. */
function callOf(call: Payload, asked: number | undefined): PartialObservation {
  const text = resultOf(call);
  const status = textOf(call, "status") ?? "";
  const known: PartialObservation = {
    kind: "tool",
    id: textOf(call, "id"),
    name: textOf(call, "name"),
    args: whole(call["args"]),
  };
  if (!/^(?:success|error|cancelled)$/.test(status)) return { ...known, startedAt: timeIn(call) };
  const failed = status !== "success" || isFailedExit(text);
  const outcome = failed ? { success: false, error: text ?? status } : { success: true };
  return { ...known, result: whole(text), ...outcome, startedAt: asked, endedAt: timeIn(call), ends: "event" };
}

function resultOf(call: Payload): string | undefined {
  const texts = objectsOf(call, "result").flatMap((part) => {
    const response = objectOf(objectOf(part, "functionResponse"), "response");
    return textOf(response, "output") ?? textOf(response, "error") ?? [];
  });
  const text = texts.length > 0 ? texts.join("\n") : asText(call["resultDisplay"]);
  return text === undefined ? undefined : withoutFence(text);
}

import { objectOf, objectsOf, type Payload, textOf, textsIn, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import {
  byType,
  compaction,
  endWithReply,
  failedTurn,
  holdReply,
  INTERRUPTED,
  outcome,
  type State,
  type Transcript,
  textIn,
} from "./transcript.ts";

/** Pi 0.73: ~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl, a tree of entries in the order in which they were written. */
export const pi: Transcript = {
  source: "pi",
  session: (line) => (line["type"] === "session" ? textOf(line, "id") : undefined),
  read: byType({
    session: (line, _, startedAt) => [{ startedAt, sessionMetadata: textsIn(line, { cwd: "cwd" }) }],
    session_info: (line, _, startedAt) => [{ startedAt, sessionMetadata: textsIn(line, { title: "name" }) }],
    compaction: (_, state, at) => [compaction(state, at)],
    message: readMessage,
  }),
};

function readMessage(line: Payload, state: State, at: number | undefined): PartialObservation[] {
  const message = objectOf(line, "message");
  const text = textIn(message);
  if (message["role"] === "user") {
    const last = endWithReply(state);
    state.turn = textOf(line, "id");
    return [...last, { kind: "turn", id: state.turn, args: whole(text), startedAt: at }];
  }
  if (message["role"] === "assistant") return readAnswer(line, message, state, at);
  if (message["role"] !== "toolResult") return [];
  return [
    {
      ...{ kind: "tool", id: textOf(message, "toolCallId"), turn: state.turn, name: textOf(message, "toolName") },
      ...outcome(message["isError"] === true, text),
      result: whole(text),
      endedAt: at,
      ends: "event",
    },
  ];
}

function readAnswer(line: Payload, message: Payload, state: State, at: number | undefined): PartialObservation[] {
  const [turn, model, text] = [state.turn, textOf(message, "model"), textIn(message)];
  const stop = textOf(message, "stopReason");
  const calls = objectsOf(message, "content").filter(({ type }) => type === "toolCall");
  holdReply(state, calls.length === 0 ? text : undefined, at);
  const error = stop === "aborted" ? INTERRUPTED : (textOf(message, "errorMessage") ?? "The model's request failed.");
  return [
    {
      ...{ kind: "llm", turn, name: model, model },
      id: textOf(message, "responseId") ?? textOf(line, "id"),
      result: whole(text),
      usage: usageIn(message, USAGE),
      startedAt: timeIn(message) ?? at,
      endedAt: at,
      ...(stop === "error" && outcome(true, error)),
    },
    ...calls.map((call): PartialObservation => {
      const [id, name, args] = [textOf(call, "id"), textOf(call, "name"), whole(call["arguments"])];
      return { kind: "tool", turn, startedAt: at, id, name, args };
    }),
    ...(stop === "aborted" || stop === "error" ? [failedTurn(turn, error, at)] : []),
    ...(stop === "stop" && calls.length === 0 ? endWithReply(state) : []),
  ];
}

const USAGE = {
  inputTokens: "usage.input",
  outputTokens: "usage.output",
  cacheReadTokens: "usage.cacheRead",
  cacheWriteTokens: "usage.cacheWrite",
  cost: "usage.cost.total",
};

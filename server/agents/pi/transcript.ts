import type { PartialObservation } from "../agent-hooks.ts";
import {
  type Payload,
  readObject,
  readObjects,
  readString,
  readTexts,
  readTime,
  readUsage,
  toObservedText,
} from "../fields.ts";
import {
  callOutcome,
  createCompaction,
  createReaderByLineType,
  endTurnWithHeldReply,
  failedTurn,
  holdPossibleLastReply,
  readText,
  type TranscriptReader,
  type TranscriptReaderState,
  TURN_INTERRUPTED_ERROR,
} from "../transcript.ts";

/** Pi 0.73: ~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl, a tree of entries in the order of writing. */
export const pi: TranscriptReader = {
  source: "pi",
  session: (line) => (line["type"] === "session" ? readString(line, "id") : undefined),
  read: createReaderByLineType({
    session: (line, _, startedAt) => [{ startedAt, sessionMetadata: readTexts(line, { cwd: "cwd" }) }],
    session_info: (line, _, startedAt) => [{ startedAt, sessionMetadata: readTexts(line, { title: "name" }) }],
    compaction: (_, state, at) => [createCompaction(state, at)],
    message: readMessage,
  }),
};

function readMessage(line: Payload, state: TranscriptReaderState, at: number | undefined): PartialObservation[] {
  const message = readObject(line, "message");
  const text = readText(message);
  if (message["role"] === "user") {
    const last = endTurnWithHeldReply(state);
    state.turn = readString(line, "id");
    return [...last, { kind: "turn", id: state.turn, args: toObservedText(text), startedAt: at }];
  }
  if (message["role"] === "assistant") return readAnswer(line, message, state, at);
  if (message["role"] !== "toolResult") return [];
  return [
    {
      ...{
        kind: "tool",
        id: readString(message, "toolCallId"),
        turn: state.turn,
        name: readString(message, "toolName"),
      },
      ...callOutcome(message["isError"] === true, text),
      result: toObservedText(text),
      endedAt: at,
      ends: "event",
    },
  ];
}

function readAnswer(
  line: Payload,
  message: Payload,
  state: TranscriptReaderState,
  at: number | undefined,
): PartialObservation[] {
  const [turn, model, text] = [state.turn, readString(message, "model"), readText(message)];
  const stop = readString(message, "stopReason");
  const calls = readObjects(message, "content").filter(({ type }) => type === "toolCall");
  holdPossibleLastReply(state, calls.length === 0 ? text : undefined, at);
  const error =
    stop === "aborted"
      ? TURN_INTERRUPTED_ERROR
      : (readString(message, "errorMessage") ?? "The model's request failed.");
  return [
    {
      ...{ kind: "llm", turn, name: model, model },
      id: readString(message, "responseId") ?? readString(line, "id"),
      result: toObservedText(text),
      usage: readUsage(message, USAGE),
      startedAt: readTime(message) ?? at,
      endedAt: at,
      ...(stop === "error" && callOutcome(true, error)),
    },
    ...calls.map((call): PartialObservation => {
      const [id, name, args] = [readString(call, "id"), readString(call, "name"), toObservedText(call["arguments"])];
      return { kind: "tool", turn, startedAt: at, id, name, args };
    }),
    ...(stop === "aborted" || stop === "error" ? [failedTurn(turn, error, at)] : []),
    ...(stop === "stop" && calls.length === 0 ? endTurnWithHeldReply(state) : []),
  ];
}

const USAGE = {
  inputTokens: "usage.input",
  outputTokens: "usage.output",
  cacheReadTokens: "usage.cacheRead",
  cacheWriteTokens: "usage.cacheWrite",
  cost: "usage.cost.total",
};

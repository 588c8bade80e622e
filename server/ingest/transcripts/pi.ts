import { objectOf, objectsOf, type Payload, textOf, timeIn, usageIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { defined } from "../observe/fold/facts.ts";
import {
  compaction,
  endWithReply,
  failedTurn,
  holdReply,
  INTERRUPTED,
  type State,
  type Transcript,
  textIn,
} from "./transcript.ts";

/** Pi: ~/.pi/agent/sessions/<folder>/<time>_<session>.jsonl, a tree of entries in the order in which they were written. */
export const pi: Transcript = {
  source: "pi",
  verified: ["0.73.1"],
  session: (line, state) => (line["type"] === "session" ? textOf(line, "id") : textOf(state, "session")),
  read(line, state) {
    const startedAt = timeIn(line);
    switch (line["type"]) {
      case "session":
        return [{ startedAt, sessionMetadata: defined({ cwd: textOf(line, "cwd") }) }];
      case "session_info":
        return [{ startedAt, sessionMetadata: defined({ title: textOf(line, "name") }) }];
      case "compaction":
        return [compaction(state, startedAt)];
      case "message":
        return readMessage(line, objectOf(line, "message"), state);
      default:
        return [];
    }
  },
  close: (state, end) => (end ? endWithReply(state) : []),
};

function readMessage(line: Payload, message: Payload, state: State): PartialObservation[] {
  const at = timeIn(line);
  if (message["role"] === "user") {
    const last = endWithReply(state);
    state["turn"] = textOf(line, "id");
    return [...last, { kind: "turn", id: textOf(line, "id"), args: whole(textIn(message)), startedAt: at }];
  }
  if (message["role"] === "assistant") return readAnswer(line, message, state);
  if (message["role"] !== "toolResult") return [];
  const text = textIn(message);
  const id = textOf(message, "toolCallId");
  const call = { kind: "tool", id, turn: textOf(state, "turn"), endedAt: at, ends: "event" } as const;
  const outcome = message["isError"] === true ? { success: false, error: text } : { success: true };
  return [{ ...call, name: textOf(message, "toolName"), result: whole(text), ...outcome }];
}

function readAnswer(line: Payload, message: Payload, state: State): PartialObservation[] {
  const [at, turn, model] = [timeIn(line), textOf(state, "turn"), textOf(message, "model")];
  const text = textIn(message);
  const stop = textOf(message, "stopReason");
  const calls = objectsOf(message, "content").filter(({ type }) => type === "toolCall");
  holdReply(state, calls.length === 0 ? text : undefined, at);
  const request: PartialObservation = {
    ...{ kind: "llm", turn, name: model, model },
    id: textOf(message, "responseId") ?? textOf(line, "id"),
    result: whole(text),
    usage: usageIn(message, USAGE),
    startedAt: timeIn(message) ?? at,
    endedAt: at,
  };
  const error = stop === "aborted" ? INTERRUPTED : (textOf(message, "errorMessage") ?? "The model's request failed.");
  return [
    stop === "error" ? { ...request, success: false, error } : request,
    ...calls.map((call) => callOf(call, turn, at)),
    ...(stop === "aborted" || stop === "error" ? [failedTurn(turn, error, at)] : []),
    ...(stop === "stop" && calls.length === 0 ? endWithReply(state) : []),
  ];
}

const callOf = (call: Payload, turn: string | undefined, startedAt: number | undefined): PartialObservation => ({
  ...{ kind: "tool", turn, startedAt },
  id: textOf(call, "id"),
  name: textOf(call, "name"),
  args: whole(call["arguments"]),
});

const USAGE = {
  inputTokens: "usage.input",
  outputTokens: "usage.output",
  cacheReadTokens: "usage.cacheRead",
  cacheWriteTokens: "usage.cacheWrite",
  cost: "usage.cost.total",
};

import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { numberOf, objectOf, objectsOf, type Payload, textOf, whole } from "../hooks/fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { Usage } from "../observe/observation.ts";
import { unquoted } from "../otlp/meaning/messages.ts";
import { INTERRUPTED, type State, type Transcript, timeIn } from "./transcript.ts";

/**
 * opencode: what `opencode export SESSION` prints, its head first, then each message. Messages have the ids that plugins see. A
 * session that a tool began is a subagent, under its id.
 */
export const opencode: Transcript = {
  source: "opencode",
  verified: ["1.18.33"],
  session(line, state) {
    const info = objectOf(line, "info");
    const parent = textOf(info, "parentID");
    if (info["role"] === undefined && parent !== undefined) state["agent"] = textOf(info, "id");
    const own = textOf(info, "sessionID") ?? textOf(info, "id");
    return state["agent"] === undefined ? own : (textOf(state, "session") ?? parent);
  },
  read(line, state) {
    const info = objectOf(line, "info");
    if (info["role"] === "user") return readPrompt(info, objectsOf(line, "parts"), state);
    if (info["role"] === "assistant") return readAnswer(info, objectsOf(line, "parts"), state);
    if (state["agent"] !== undefined) return [];
    const [cwd, title, version] = [textOf(info, "directory"), textOf(info, "title"), textOf(info, "version")];
    const startedAt = timeIn(objectOf(info, "time"), "created");
    return startedAt === undefined ? [] : [{ startedAt, sessionMetadata: defined({ cwd, title, version }) }];
  },
  close: () => [],
};

/** The turn, or the subagent whose file it is. */
function around(state: State, turn: string | undefined): PartialObservation {
  const agent = textOf(state, "agent");
  return agent === undefined ? { kind: "turn", id: turn } : { kind: "subagent", id: agent };
}

function readPrompt(info: Payload, parts: readonly Payload[], state: State): PartialObservation[] {
  const agent = textOf(state, "agent");
  if (agent === undefined) state["turn"] = textOf(info, "id");
  const texts = parts.flatMap((part) =>
    part["type"] === "text" && part["synthetic"] !== true ? (textOf(part, "text") ?? []) : [],
  );
  const startedAt = timeIn(objectOf(info, "time"), "created");
  const name = agent && textOf(info, "agent");
  return [{ ...around(state, textOf(info, "id")), name, args: whole(unquoted(texts.join("\n"))), startedAt }];
}

function readAnswer(info: Payload, parts: readonly Payload[], state: State): PartialObservation[] {
  const parentCall = textOf(state, "agent");
  const turn = parentCall === undefined ? (textOf(info, "parentID") ?? textOf(state, "turn")) : undefined;
  const [model, time] = [textOf(info, "modelID"), objectOf(info, "time")];
  const texts = parts.flatMap((part) => (part["type"] === "text" ? (textOf(part, "text") ?? []) : []));
  const result = whole(texts.length > 0 ? texts.join("\n") : undefined);
  const failure = objectOf(info, "error");
  const error = textOf(objectOf(failure, "data"), "message") ?? textOf(failure, "name");
  const endedAt = timeIn(time, "completed");
  const isStopped = textOf(failure, "name") === "MessageAbortedError";
  const request: PartialObservation = {
    ...{ kind: "llm", turn, parentCall, name: model, model, result },
    id: textOf(info, "id"),
    usage: usageOf(info),
    startedAt: timeIn(time, "created"),
    ...(error !== undefined && { success: false, error }),
  };
  const ends = parentCall === undefined ? "turn" : "event";
  const own: PartialObservation = { ...around(state, turn), endedAt, ends };
  return [
    request,
    ...parts.flatMap((part) => (part["type"] === "tool" ? callsOf(part, turn, parentCall) : [])),
    ...(error !== undefined ? [{ ...own, success: false, error: isStopped ? INTERRUPTED : error }] : []),
    ...(error === undefined && info["finish"] === "stop" ? [{ ...own, result }] : []),
  ];
}

function usageOf(info: Payload): Usage {
  const tokens = objectOf(info, "tokens");
  const cache = objectOf(tokens, "cache");
  return defined<Usage>({
    inputTokens: numberOf(tokens, "input"),
    outputTokens: numberOf(tokens, "output"),
    cacheReadTokens: numberOf(cache, "read"),
    cacheWriteTokens: numberOf(cache, "write"),
    cost: numberOf(info, "cost"),
  });
}

/** A call, and the subagent that it began. */
function callsOf(part: Payload, turn: string | undefined, parentCall: string | undefined): PartialObservation[] {
  const [id, state] = [textOf(part, "callID"), objectOf(part, "state")];
  const [time, about, output] = [objectOf(state, "time"), objectOf(state, "metadata"), textOf(state, "output")];
  const exit = numberOf(about, "exit");
  const error = textOf(state, "error") ?? ((exit ?? 0) === 0 ? undefined : output);
  const endedAt = timeIn(time, "end");
  const call: PartialObservation = {
    ...{ kind: "tool", id, turn, parentCall, endedAt },
    name: textOf(part, "tool"),
    args: whole(state["input"]),
    startedAt: timeIn(time, "start"),
    result: whole(output, about["truncated"] === true),
    ...(error !== undefined ? { success: false, error } : endedAt !== undefined && { success: true }),
    ...(exit !== undefined && { metadata: { exit_code: exit } }),
  };
  const began = textOf(about, "sessionId");
  return began === undefined
    ? [call]
    : [call, { kind: "subagent", id: began, turn, parentCall: id, startedAt: timeIn(time, "start") }];
}

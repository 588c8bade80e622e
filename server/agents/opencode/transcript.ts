import type { PartialObservation } from "../agent-hooks.ts";
import {
  joinTexts,
  type Payload,
  readObject,
  readObjects,
  readString,
  readTexts,
  readTime,
  toObservedText,
  unquoteText,
} from "../fields.ts";
import {
  callOutcome,
  type TranscriptReader,
  type TranscriptReaderState,
  TURN_INTERRUPTED_ERROR,
} from "../transcript.ts";
import { readMessageError, readModelCall, readToolCalls } from "./hooks.ts";

/**
 * Reads the output of `opencode export SESSION` (opencode 1.18): first the head of the session, then each message.
 * Messages have the same ids as in plugins. A session that a tool started is a subagent, and the subagent's id is the
 * id of that session.
 */
export const opencode: TranscriptReader = {
  source: "opencode",
  session(line, state) {
    const info = readObject(line, "info");
    const parent = readString(info, "parentID");
    if (info["role"] === undefined && parent !== undefined) state["agent"] = readString(info, "id");
    if (state["agent"] !== undefined) return state.session ?? parent;
    return readString(info, "sessionID") ?? readString(info, "id");
  },
  read(line, state) {
    const info = readObject(line, "info");
    if (info["role"] === "user") return readPrompt(info, readObjects(line, "parts"), state);
    if (info["role"] === "assistant") return readAnswer(info, readObjects(line, "parts"), state);
    const startedAt = readTime(readObject(info, "time"), "created");
    if (state["agent"] !== undefined || startedAt === undefined) return [];
    return [{ startedAt, sessionMetadata: readTexts(info, { cwd: "directory", title: "title", version: "version" }) }];
  },
};

/** Returns the turn that a message belongs to. If the file belongs to a subagent, returns the subagent instead. */
function around(state: TranscriptReaderState, turn: string | undefined): PartialObservation {
  const agent = readString(state, "agent");
  return agent === undefined ? { kind: "turn", id: turn } : { kind: "subagent", id: agent };
}

/** Returns the texts of a message. */
const written = (parts: readonly Payload[]): string | undefined =>
  joinTexts(parts.flatMap((part) => (part["type"] === "text" ? (readString(part, "text") ?? []) : [])));

function readPrompt(info: Payload, parts: readonly Payload[], state: TranscriptReaderState): PartialObservation[] {
  const agent = readString(state, "agent");
  if (agent === undefined) state.turn = readString(info, "id");
  const prompt = written(parts.filter(({ synthetic }) => synthetic !== true)) ?? "";
  const startedAt = readTime(readObject(info, "time"), "created");
  const name = agent && readString(info, "agent");
  return [{ ...around(state, readString(info, "id")), name, args: toObservedText(unquoteText(prompt)), startedAt }];
}

function readAnswer(info: Payload, parts: readonly Payload[], state: TranscriptReaderState): PartialObservation[] {
  const parentCall = readString(state, "agent");
  const turn = parentCall === undefined ? (readString(info, "parentID") ?? state.turn) : undefined;
  const result = toObservedText(written(parts));
  const error =
    readString(readObject(info, "error"), "name") === "MessageAbortedError"
      ? TURN_INTERRUPTED_ERROR
      : readMessageError(info);
  const end: PartialObservation = {
    ...around(state, turn),
    endedAt: readTime(readObject(info, "time"), "completed"),
    ends: parentCall === undefined ? "turn" : "event",
  };
  return [
    { ...readModelCall(info, parentCall), turn, result },
    ...parts
      .flatMap((part) => (part["type"] === "tool" ? readToolCalls(part, parentCall) : []))
      .map((each) => ({ ...each, turn })),
    ...(error !== undefined ? [{ ...end, ...callOutcome(true, error) }] : []),
    ...(error === undefined && info["finish"] === "stop" ? [{ ...end, result }] : []),
  ];
}

import { joined, objectOf, objectsOf, type Payload, textOf, textsIn, timeIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { callsIn, errorOf, requestIn } from "../hooks/opencode.ts";
import { unquoted } from "../otlp/meaning/messages.ts";
import { INTERRUPTED, outcome, type State, type Transcript } from "./transcript.ts";

/**
 * opencode 1.18: what `opencode export SESSION` prints, its head first, then each message. Messages have the ids that plugins
 * see. A session that a tool began is a subagent, under its id.
 */
export const opencode: Transcript = {
  source: "opencode",
  session(line, state) {
    const info = objectOf(line, "info");
    const parent = textOf(info, "parentID");
    if (info["role"] === undefined && parent !== undefined) state["agent"] = textOf(info, "id");
    if (state["agent"] !== undefined) return state.session ?? parent;
    return textOf(info, "sessionID") ?? textOf(info, "id");
  },
  read(line, state) {
    const info = objectOf(line, "info");
    if (info["role"] === "user") return readPrompt(info, objectsOf(line, "parts"), state);
    if (info["role"] === "assistant") return readAnswer(info, objectsOf(line, "parts"), state);
    const startedAt = timeIn(objectOf(info, "time"), "created");
    if (state["agent"] !== undefined || startedAt === undefined) return [];
    return [{ startedAt, sessionMetadata: textsIn(info, { cwd: "directory", title: "title", version: "version" }) }];
  },
};

/** The turn, or the subagent whose file it is. */
function around(state: State, turn: string | undefined): PartialObservation {
  const agent = textOf(state, "agent");
  return agent === undefined ? { kind: "turn", id: turn } : { kind: "subagent", id: agent };
}

/** The texts of a message. */
const written = (parts: readonly Payload[]): string | undefined =>
  joined(parts.flatMap((part) => (part["type"] === "text" ? (textOf(part, "text") ?? []) : [])));

function readPrompt(info: Payload, parts: readonly Payload[], state: State): PartialObservation[] {
  const agent = textOf(state, "agent");
  if (agent === undefined) state.turn = textOf(info, "id");
  const prompt = written(parts.filter(({ synthetic }) => synthetic !== true)) ?? "";
  const startedAt = timeIn(objectOf(info, "time"), "created");
  const name = agent && textOf(info, "agent");
  return [{ ...around(state, textOf(info, "id")), name, args: whole(unquoted(prompt)), startedAt }];
}

function readAnswer(info: Payload, parts: readonly Payload[], state: State): PartialObservation[] {
  const parentCall = textOf(state, "agent");
  const turn = parentCall === undefined ? (textOf(info, "parentID") ?? state.turn) : undefined;
  const result = whole(written(parts));
  const error = textOf(objectOf(info, "error"), "name") === "MessageAbortedError" ? INTERRUPTED : errorOf(info);
  const end: PartialObservation = {
    ...around(state, turn),
    endedAt: timeIn(objectOf(info, "time"), "completed"),
    ends: parentCall === undefined ? "turn" : "event",
  };
  return [
    { ...requestIn(info, parentCall), turn, result },
    ...parts
      .flatMap((part) => (part["type"] === "tool" ? callsIn(part, parentCall) : []))
      .map((each) => ({ ...each, turn })),
    ...(error !== undefined ? [{ ...end, ...outcome(true, error) }] : []),
    ...(error === undefined && info["finish"] === "stop" ? [{ ...end, result }] : []),
  ];
}

import { objectOf, objectsOf, type Payload, textOf, timeIn, whole } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { callsIn, errorOf, requestIn } from "../hooks/opencode.ts";
import { defined } from "../observe/fold/facts.ts";
import { unquoted } from "../otlp/meaning/messages.ts";
import { INTERRUPTED, type State, type Transcript } from "./transcript.ts";

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
  const texts = parts.flatMap((part) => (part["type"] === "text" ? (textOf(part, "text") ?? []) : []));
  const result = whole(texts.length > 0 ? texts.join("\n") : undefined);
  const error = textOf(objectOf(info, "error"), "name") === "MessageAbortedError" ? INTERRUPTED : errorOf(info);
  const ends = parentCall === undefined ? "turn" : "event";
  const end: PartialObservation = {
    ...around(state, turn),
    endedAt: timeIn(objectOf(info, "time"), "completed"),
    ends,
  };
  return [
    { ...requestIn(info, parentCall), turn, result },
    ...parts
      .flatMap((part) => (part["type"] === "tool" ? callsIn(part, parentCall) : []))
      .map((each) => ({ ...each, turn })),
    ...(error !== undefined ? [{ ...end, success: false, error }] : []),
    ...(error === undefined && info["finish"] === "stop" ? [{ ...end, result }] : []),
  ];
}

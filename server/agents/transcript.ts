import { getOwnProperty } from "../../formats/own.ts";
import type { PartialObservation } from "./agent-hooks.ts";
import { joinTexts, type Payload, readObject, readObjects, readString, readTime } from "./fields.ts";
import { COMPACTION, MAX_ID } from "./observation.ts";

/**
 * State that a reader keeps between two request bodies. The response contains the state, and the client sends the state
 * with the next lines. The state is therefore JSON, limited in size, and as untrusted as the lines.
 */
export interface TranscriptReaderState extends Record<string, unknown> {
  session?: string | undefined;
  /** Id of the current turn. */
  turn?: string | undefined;
  /** Sessions that this session was forked from, at most MOST_ORIGINS. */
  origins?: readonly string[] | undefined;
  /** Working directory, if the sender named the directory. */
  cwd?: string | undefined;
}

/** Reads a line with its time in epoch ms. Unknown lines produce no observations. */
export type ReadLine = (
  line: Payload,
  state: TranscriptReaderState,
  at: number | undefined,
) => readonly PartialObservation[];

/** Transcripts of an agent: session files with one JSON object per line. */
export interface TranscriptReader {
  source: string;
  /** Returns the session that a line names. */
  session(line: Payload, state: TranscriptReaderState): string | undefined;
  read: ReadLine;
  /**
   * Returns the observations that waited for more lines. Called after the last line of each body, with `end` set at the
   * end of the file. By default, the held reply is returned at the end of the file.
   */
  close?(state: TranscriptReaderState, end: boolean): readonly PartialObservation[];
}

/** Maximum origins of a session. The number is limited because every observation of a fork names all origins. */
const MOST_ORIGINS = 8;

/** Adds a session that the session of the file was forked from. A fork begins with lines of that session. */
export function addOrigin(state: TranscriptReaderState, origin: string | undefined): void {
  if (origin === undefined || origin === state.session) return;
  const origins = [...new Set([...readOrigins(state), origin])];
  state.origins = readOrigins({ origins });
}

/** Reads the origins from the state, which a client sent: at most MOST_ORIGINS ids of usual length. */
export const readOrigins = ({ origins }: TranscriptReaderState): readonly string[] =>
  (Array.isArray(origins) ? origins : [])
    .filter((each) => typeof each === "string" && each.length <= MAX_ID)
    .slice(0, MOST_ORIGINS);

/** Selects the reader by the `type` of a line. */
export const createReaderByLineType =
  (readers: Readonly<Record<string, ReadLine>>, others: ReadLine = () => []): ReadLine =>
  (line, state, at) => {
    const type = readString(line, "type") ?? "";
    const read = getOwnProperty(readers, type);
    return (read ?? others)(line, state, at);
  };

/** Returns the text of a message, which is a text or a list of blocks. An image becomes a note with type and size. */
export const readText = (message: Payload, key = "content"): string | undefined =>
  readString(message, key) ??
  joinTexts(readObjects(message, key).flatMap((block) => readString(block, "text") ?? imageIn(block)));

/** Returns the note for an image. The image's bytes were replaced earlier by the number of bytes. */
function imageIn(block: Payload): string[] {
  if (!/image/.test(readString(block, "type") ?? "")) return [];
  const source = readObject(block, "source");
  const type = readString(source, "media_type") ?? readString(block, "mimeType") ?? "image";
  const bytes = readString(source, "data") ?? readString(block, "data") ?? readString(block, "image_url") ?? "";
  return [`[${type}${/^\[.* ?\d+ bytes\]$/.test(bytes) ? `, ${bytes.slice(1, -1)}` : ""}]`];
}

/** Maximum characters of a prompt, reply or response that the state carries between bodies. */
export const MAX_CARRIED_CHARS = 16_384;

/** Holds a reply that may be the last of its turn. The next lines show whether the reply was the last. */
export function holdPossibleLastReply(
  state: TranscriptReaderState,
  result: string | undefined,
  endedAt: number | undefined,
): void {
  state["reply"] = result === undefined ? undefined : { result: result.slice(0, MAX_CARRIED_CHARS), endedAt };
}

/** Returns the end of the turn with the held reply, if there is one. */
export function endTurnWithHeldReply(state: TranscriptReaderState): PartialObservation[] {
  const reply = readObject(state, "reply");
  const result = readString(reply, "result");
  state["reply"] = undefined;
  if (state.turn === undefined || result === undefined) return [];
  return [
    { kind: "turn", id: state.turn, result: { text: result }, endedAt: readTime(reply, "endedAt"), ends: "turn" },
  ];
}

/** Creates the observation that the agent compacted the context of the current turn. */
export const createCompaction = ({ turn }: TranscriptReaderState, at: number | undefined): PartialObservation => ({
  ...{ kind: "other", name: COMPACTION, turn },
  startedAt: at,
  endedAt: at,
});

/** Creates the outcome of a call. A failed call has an error text. */
export const callOutcome = (isFailed: boolean, error: string | undefined): PartialObservation =>
  isFailed ? { success: false, error } : { success: true };

/** Error of a turn that the user stopped. */
export const TURN_INTERRUPTED_ERROR = "Interrupted by the user.";

export const failedTurn = (id: string | undefined, error: string, endedAt: number | undefined): PartialObservation => ({
  ...{ kind: "turn", id, success: false, error },
  endedAt,
  ends: "turn",
});

import { readOwn } from "../../../formats/own.ts";
import { joined, objectOf, objectsOf, type Payload, textOf, timeIn } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { COMPACTION } from "../observe/fold/groups.ts";

/**
 * The memory of a reader between two lines. It travels: the answer to some lines of a file holds it, and the next lines
 * bring it along. So it is JSON, bounded, and as little to be trusted as the lines.
 */
export interface State extends Record<string, unknown> {
  session?: string | undefined;
  /** The id of the turn that goes on. */
  turn?: string | undefined;
  /** The working directory, where the sender of the lines named it. */
  cwd?: string | undefined;
}

/** Reads a line, of a time in epoch ms. One that is not known tells of nothing. */
export type ReadLine = (line: Payload, state: State, at: number | undefined) => readonly PartialObservation[];

/** An agent's transcripts: the files in which it keeps its sessions, one JSON object a line. */
export interface Transcript {
  source: string;
  /** The session that a line names. */
  session(line: Payload, state: State): string | undefined;
  read: ReadLine;
  /** The observations that waited for more lines: the held reply at the end of the file, unless something else is given. */
  close?(state: State, end: boolean): readonly PartialObservation[];
}

/** Reads lines by their `type`. */
export const byType =
  (readers: Readonly<Record<string, ReadLine>>, others: ReadLine = () => []): ReadLine =>
  (line, state, at) => {
    const type = textOf(line, "type") ?? "";
    const read = readOwn(readers, type);
    return (read ?? others)(line, state, at);
  };

/** The text of a message, which is one text or a list of blocks. Of an image its type and size are noted. */
export const textIn = (message: Payload, key = "content"): string | undefined =>
  textOf(message, key) ?? joined(objectsOf(message, key).flatMap((block) => textOf(block, "text") ?? imageIn(block)));

/** The note of an image, whose bytes were replaced by their number. */
function imageIn(block: Payload): string[] {
  if (!/image/.test(textOf(block, "type") ?? "")) return [];
  const source = objectOf(block, "source");
  const type = textOf(source, "media_type") ?? textOf(block, "mimeType") ?? "image";
  const bytes = textOf(source, "data") ?? textOf(block, "data") ?? textOf(block, "image_url") ?? "";
  return [`[${type}${/^\[.* ?\d+ bytes\]$/.test(bytes) ? `, ${bytes.slice(1, -1)}` : ""}]`];
}

/** The most characters of a prompt, a reply or an answer that the state carries from one body to the next. */
export const CARRIED_CHARS = 16_384;

/** A reply that may be the last of its turn, which the next lines show. */
export function holdReply(state: State, result: string | undefined, endedAt: number | undefined): void {
  state["reply"] = result === undefined ? undefined : { result: result.slice(0, CARRIED_CHARS), endedAt };
}

/** The end of the turn with the reply that is held, if one is. */
export function endWithReply(state: State): PartialObservation[] {
  const reply = objectOf(state, "reply");
  const result = textOf(reply, "result");
  state["reply"] = undefined;
  if (state.turn === undefined || result === undefined) return [];
  return [{ kind: "turn", id: state.turn, result: { text: result }, endedAt: timeIn(reply, "endedAt"), ends: "turn" }];
}

/** The compaction of a turn's context. */
export const compaction = ({ turn }: State, at: number | undefined): PartialObservation => ({
  ...{ kind: "other", name: COMPACTION, turn },
  startedAt: at,
  endedAt: at,
});

/** The outcome of a call; a failed one has the words of its error. */
export const outcome = (isFailed: boolean, error: string | undefined): PartialObservation =>
  isFailed ? { success: false, error } : { success: true };

/** The error of a turn that a person stopped. */
export const INTERRUPTED = "Interrupted by the user.";

/** The failed end of a turn. */
export const failedTurn = (id: string | undefined, error: string, endedAt: number | undefined): PartialObservation => ({
  ...{ kind: "turn", id, success: false, error },
  endedAt,
  ends: "turn",
});

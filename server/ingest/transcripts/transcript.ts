import { objectOf, objectsOf, type Payload, textOf, timeIn } from "../fields.ts";
import type { PartialObservation } from "../hooks/agent-hooks.ts";
import { COMPACTION } from "../observe/fold/groups.ts";

/**
 * The memory of a reader between two lines. It travels: the answer to some lines of a file holds it, and the next lines
 * bring it along. So it is JSON, bounded, and as little to be trusted as the lines.
 */
export type State = Record<string, unknown>;

/** An agent's transcripts: the files in which it keeps its sessions, one JSON object a line. */
export interface Transcript {
  source: string;
  /** Versions whose files were read in tests; none where only the documentation was read. */
  verified: readonly string[];
  /** The session that a line, or what was read before it, belongs to. */
  session(line: Payload, state: State): string | undefined;
  /** Reads a line. Lines that are not known tell of nothing. */
  read(line: Payload, state: State): readonly PartialObservation[];
  /** The observations that waited for more lines; the file is over with `end`, else more may come. */
  close(state: State, end: boolean): readonly PartialObservation[];
}

/** The text of a message, which is one text or a list of blocks. Of an image its type and size are noted. */
export function textIn(message: Payload, key = "content"): string | undefined {
  const one = textOf(message, key);
  if (one !== undefined) return one;
  const texts = objectsOf(message, key).flatMap((block) => textOf(block, "text") ?? imageIn(block));
  return texts.length > 0 ? texts.join("\n") : undefined;
}

/** The note of an image, whose bytes were replaced by their number. */
function imageIn(block: Payload): string[] {
  if (!/image/.test(textOf(block, "type") ?? "")) return [];
  const source = objectOf(block, "source");
  const type = textOf(source, "media_type") ?? textOf(block, "mimeType") ?? "image";
  const bytes = textOf(source, "data") ?? textOf(block, "data") ?? textOf(block, "image_url") ?? "";
  return [`[${type}${/^\[.* ?\d+ bytes\]$/.test(bytes) ? `, ${bytes.slice(1, -1)}` : ""}]`];
}

/** The most characters of a reply that the state carries from one body to the next. */
const REPLY_CHARS = 16_384;

/** A reply that may be the last of its turn, which the next lines show. */
export function holdReply(state: State, result: string | undefined, endedAt: number | undefined): void {
  state["reply"] = result === undefined ? undefined : { result: result.slice(0, REPLY_CHARS), endedAt };
}

/** The end of the turn with the reply that is held, if one is. */
export function endWithReply(state: State): PartialObservation[] {
  const reply = objectOf(state, "reply");
  const result = textOf(reply, "result");
  state["reply"] = undefined;
  const id = textOf(state, "turn");
  if (id === undefined || result === undefined) return [];
  return [{ kind: "turn", id, result: { text: result }, endedAt: timeIn(reply, "endedAt"), ends: "turn" }];
}

/** The compaction of a turn's context. */
export const compaction = (state: State, at: number | undefined): PartialObservation => ({
  ...{ kind: "other", name: COMPACTION, turn: textOf(state, "turn") },
  startedAt: at,
  endedAt: at,
});

/** The error of a turn that a person stopped. */
export const INTERRUPTED = "Interrupted by the user.";

/** The failed end of a turn. */
export const failedTurn = (id: string | undefined, error: string, endedAt: number | undefined): PartialObservation => ({
  kind: "turn",
  id,
  success: false,
  error,
  endedAt,
  ends: "turn",
});

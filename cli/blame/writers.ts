import type { AddedBlock } from "./git.ts";

/** A recorded change of a file, with the data that identifies the writer of a line. */
export interface RecordedChange {
  event: string;
  session: string;
  /** Epoch ms. */
  at: number;
  lines: readonly string[];
}

/**
 * Evidence about the lines that one commit added to a file: the added lines, the recorded changes of the file, and the
 * lines that the file contained before the commit.
 */
export interface WriterEvidence {
  blocks: readonly AddedBlock[];
  /** Recorded changes of the file before the commit. A change is doubtful if it may belong to another repository. */
  changes: readonly (RecordedChange & { isDoubtful: boolean })[];
  /** Lines that the file contained at any earlier time. */
  earlier: ReadonlySet<string>;
}

/** Number of characters of a line that the recording stores. The rest of the line is cut off. */
const KEPT = 400;
export const truncateToStoredLength = (line: string): string => line.slice(0, KEPT);

/** Maximum distance, in lines, of a neighbor that can identify the writer of a line. */
export const MAX_NEIGHBOR_DISTANCE = 8;

/** Returns true if a line is specific enough to identify a writer. A lone brace, for example, occurs anywhere. */
export const isSpecificLine = (line: string): boolean => (line.match(/[\p{L}\p{N}_]/gu)?.length ?? 0) >= 4;

/**
 * Returns the change that wrote a line of a commit. `number` is the line number in that commit. A session counts as the
 * writer if the line is specific, the commit added the line exactly once, the file never contained the line before, and
 * only that session wrote the line. For any other line, the writer is the session that wrote such an identifiable line
 * nearby, if the same change also contains all lines between the two. Returns undefined in case of doubt.
 */
export function findWriter(evidence: WriterEvidence, number: number): RecordedChange | undefined {
  const block = evidence.blocks.find(({ from, lines }) => number >= from && number < from + lines.length);
  if (!block) return undefined;
  const at = number - block.from;
  return ownWriter(evidence, block.lines[at] ?? "") ?? writerByNeighbours(evidence, block.lines, at);
}

/**
 * Returns the changes that wrote a line, if the line proves that exactly one session wrote the line. Otherwise returns
 * an empty list.
 */
function ownChanges({ blocks, changes, earlier }: WriterEvidence, line: string): readonly RecordedChange[] {
  const times = blocks.reduce((sum, { lines }) => sum + countLine(lines, line), 0);
  if (!isSpecificLine(line) || times !== 1 || earlier.has(line)) return [];
  const wrote = changes.filter(({ lines }) => lines.includes(truncateToStoredLength(line)));
  const isOnes = new Set(wrote.map(({ session }) => session)).size === 1;
  return isOnes && wrote.every(({ isDoubtful }) => !isDoubtful) ? wrote : [];
}

const ownWriter = (evidence: WriterEvidence, line: string): RecordedChange | undefined =>
  latest(ownChanges(evidence, line));

const latest = (changes: readonly RecordedChange[]): RecordedChange | undefined =>
  [...changes].sort((one, other) => one.at - other.at).at(-1);

function writerByNeighbours(
  evidence: WriterEvidence,
  block: readonly string[],
  at: number,
): RecordedChange | undefined {
  const found = [-1, 1].flatMap((step) => neighboursWriter(evidence, block, at, step) ?? []);
  const [writer] = found;
  const line = block[at] ?? "";
  if (!writer || new Set(found.map(({ session }) => session)).size > 1) return undefined;
  const written = evidence.changes
    .filter(({ session }) => session === writer.session)
    .reduce((sum, { lines }) => sum + countLine(lines, truncateToStoredLength(line)), 0);
  // If the block contains more copies of the line than the session wrote, another writer added some of the copies, and
  // the writer of this copy is unknown. The exception is a change whose lines all appear here consecutively and include
  // this line.
  const isWhole = found.some(({ lines }) => standsAround(block.map(truncateToStoredLength), lines, at));
  return isWhole || countLine(block, line) <= written ? writer : undefined;
}

/** Returns true if the block contains the given lines consecutively and the given index lies within them. */
const standsAround = (block: readonly string[], lines: readonly string[], at: number): boolean =>
  block.some(
    (_line, from) =>
      from <= at && at < from + lines.length && lines.every((each, index) => block[from + index] === each),
  );

/**
 * Searches from a line in one direction for the nearest line whose writer is known. Returns the change that wrote that
 * line, if the change also contains all lines between the two.
 */
function neighboursWriter(
  evidence: WriterEvidence,
  block: readonly string[],
  at: number,
  step: number,
): RecordedChange | undefined {
  for (
    let there = at + step;
    Math.abs(there - at) <= MAX_NEIGHBOR_DISTANCE && block[there] !== undefined;
    there += step
  ) {
    const own = ownChanges(evidence, block[there] ?? "");
    if (own.length === 0) continue;
    const [from, to] = [Math.min(at, there), Math.max(at, there) + 1];
    const run = block.slice(from, to).map(truncateToStoredLength);
    return latest(own.filter(({ lines }) => holds(lines, run)));
  }
  return undefined;
}

const countLine = (lines: readonly string[], line: string): number => lines.filter((each) => each === line).length;

const holds = (lines: readonly string[], run: readonly string[]): boolean =>
  lines.some((_line, at) => run.every((each, index) => lines[at + index] === each));

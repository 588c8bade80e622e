import type { Block } from "./git.ts";

/** A recorded change of a file, as far as it says who wrote a line. */
export interface Change {
  event: string;
  session: string;
  /** Epoch ms. */
  at: number;
  lines: readonly string[];
}

/** The lines of one commit in one file, with what is recorded of changes that were made before it. */
export interface Evidence {
  blocks: readonly Block[];
  /** Changes of this file in this repository before the commit; those of which that is not certain are doubtful. */
  changes: readonly (Change & { isDoubtful: boolean })[];
  /** Lines that the file had at some time before. */
  earlier: ReadonlySet<string>;
}

/** Characters of a line that a recording keeps. */
const KEPT = 400;
export const kept = (line: string): string => line.slice(0, KEPT);

/** Lines above and below one that may say whose it is. */
export const NEAR = 8;

/** True for a line that says something: a brace stands anywhere. */
export const isTelling = (line: string): boolean => (line.match(/[\p{L}\p{N}_]/gu)?.length ?? 0) >= 4;

/**
 * The change that wrote a line of a commit, by the number that the line has in it. A line is somebody's where it is
 * telling, came once, with this commit, for the first time, and one session alone wrote it. Any other line is theirs who
 * wrote such a line near it in the same change, with the same lines between. Undefined in doubt.
 */
export function writerOf(evidence: Evidence, number: number): Change | undefined {
  const block = evidence.blocks.find(({ from, lines }) => number >= from && number < from + lines.length);
  if (!block) return undefined;
  const at = number - block.from;
  return ownWriter(evidence, block.lines[at] ?? "") ?? writerByNeighbours(evidence, block.lines, at);
}

/** The changes that wrote a line, where one session alone did. */
function ownChanges({ blocks, changes, earlier }: Evidence, line: string): readonly Change[] {
  const times = blocks.reduce((sum, { lines }) => sum + timesIn(lines, line), 0);
  if (!isTelling(line) || times !== 1 || earlier.has(line)) return [];
  const wrote = changes.filter(({ lines }) => lines.includes(kept(line)));
  const isOnes = new Set(wrote.map(({ session }) => session)).size === 1;
  return isOnes && wrote.every(({ isDoubtful }) => !isDoubtful) ? wrote : [];
}

const ownWriter = (evidence: Evidence, line: string): Change | undefined => latest(ownChanges(evidence, line));

const latest = (changes: readonly Change[]): Change | undefined =>
  [...changes].sort((one, other) => one.at - other.at).at(-1);

function writerByNeighbours(evidence: Evidence, block: readonly string[], at: number): Change | undefined {
  const found = [-1, 1].flatMap((step) => neighboursWriter(evidence, block, at, step) ?? []);
  const [writer] = found;
  const line = block[at] ?? "";
  if (!writer || new Set(found.map(({ session }) => session)).size > 1) return undefined;
  const written = evidence.changes
    .filter(({ session }) => session === writer.session)
    .reduce((sum, { lines }) => sum + timesIn(lines, kept(line)), 0);
  // More of them came than the session wrote: some are somebody else's, unless all of a change stands here as it was written.
  const isWhole = found.some(({ lines }) => standsAround(block.map(kept), lines, at));
  return isWhole || timesIn(block, line) <= written ? writer : undefined;
}

/** True where a list of lines stands one after another in a block, around one of its places. */
const standsAround = (block: readonly string[], lines: readonly string[], at: number): boolean =>
  block.some(
    (_line, from) =>
      from <= at && at < from + lines.length && lines.every((each, index) => block[from + index] === each),
  );

/** The change that wrote the next line with a writer in a direction, and all lines from there to this one. */
function neighboursWriter(evidence: Evidence, block: readonly string[], at: number, step: number): Change | undefined {
  for (let there = at + step; Math.abs(there - at) <= NEAR && block[there] !== undefined; there += step) {
    const own = ownChanges(evidence, block[there] ?? "");
    if (own.length === 0) continue;
    const [from, to] = [Math.min(at, there), Math.max(at, there) + 1];
    const run = block.slice(from, to).map(kept);
    return latest(own.filter(({ lines }) => holds(lines, run)));
  }
  return undefined;
}

const timesIn = (lines: readonly string[], line: string): number => lines.filter((each) => each === line).length;

const holds = (lines: readonly string[], run: readonly string[]): boolean =>
  lines.some((_line, at) => run.every((each, index) => lines[at + index] === each));

import type { SessionEvent } from "../session/events.ts";

/** Result of comparing two calls. `a` and `b` mean that only run A or only run B contains the call. */
export type CallComparison = "same" | "arguments" | "result" | "a" | "b";

/** Row of the comparison: a pair of calls, or a call of only one run. */
export interface AlignedRow {
  a: SessionEvent | undefined;
  b: SessionEvent | undefined;
  is: CallComparison;
}

/** Maximum number of events per run that are aligned. The alignment needs a table of up to 2,000 × 2,000 numbers. */
export const MAX_ALIGNED_EVENTS = 2_000;

/**
 * Aligns two runs by the longest common subsequence of events with equal kind, name and arguments. The events between
 * two aligned pairs are then paired by kind and name, in order, as calls with different arguments. Times, ids and
 * temporary paths in arguments are ignored.
 */
export function alignRuns(first: readonly SessionEvent[], second: readonly SessionEvent[]): AlignedRow[] {
  const [a, b] = [first.slice(0, MAX_ALIGNED_EVENTS), second.slice(0, MAX_ALIGNED_EVENTS)];
  const rows: AlignedRow[] = [];
  let [fromA, fromB] = [0, 0];
  for (const [atA, atB] of [...anchors(a.map(exactly), b.map(exactly)), [a.length, b.length] as const]) {
    rows.push(...between(a.slice(fromA, atA), b.slice(fromB, atB)));
    const [left, right] = [a[atA], b[atB]];
    if (left && right) rows.push({ a: left, b: right, is: resultOf(left) === resultOf(right) ? "same" : "result" });
    [fromA, fromB] = [atA + 1, atB + 1];
  }
  return rows;
}

/** Pairs the events between two aligned pairs by kind and name. */
function between(a: readonly SessionEvent[], b: readonly SessionEvent[]): AlignedRow[] {
  const rows: AlignedRow[] = [];
  let [fromA, fromB] = [0, 0];
  for (const [atA, atB] of [...anchors(a.map(buildLooseKey), b.map(buildLooseKey)), [a.length, b.length] as const]) {
    for (const each of a.slice(fromA, atA)) rows.push({ a: each, b: undefined, is: "a" });
    for (const each of b.slice(fromB, atB)) rows.push({ a: undefined, b: each, is: "b" });
    const [left, right] = [a[atA], b[atB]];
    if (left && right) rows.push({ a: left, b: right, is: "arguments" });
    [fromA, fromB] = [atA + 1, atB + 1];
  }
  return rows;
}

/** Returns the index pairs of a longest common subsequence of two lists, in order. */
function anchors(a: readonly string[], b: readonly string[]): [number, number][] {
  let [head, tail] = [0, 0];
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  const width = columns + 1;
  // The lists are compared without their common beginning and end. `at(i, j)` is the length of the longest common
  // subsequence from positions i and j on.
  const lengths = new Uint16Array((rows + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const same = a[head + i] === b[head + j];
      lengths[i * width + j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found = Array.from({ length: head }, (_, n): [number, number] => [n, n]);
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (a[head + i] === b[head + j]) found.push([head + i++, head + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  for (let n = tail; n > 0; n -= 1) found.push([a.length - n, b.length - n]);
  return found;
}

/** Parts of arguments that differ in every run, even when the agent did the same. */
const VARYING: [pattern: RegExp, sign: string][] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "‹id›"],
  [/\b(?:toolu|call|msg|req)_[A-Za-z0-9]{6,}\b/g, "‹id›"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[\d.:Z+-]*/g, "‹time›"],
  [/\/(?:private\/)?(?:tmp|var\/folders)\/[^\s"']*/g, "‹path›"],
  [/\b[0-9a-f]{12,}\b/gi, "‹id›"],
  [/\s+/g, " "],
];

/** Replaces the parts of a text that differ in every run. */
const normalized = (text: string): string =>
  VARYING.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), text).trim();

const buildLooseKey = ({ kind, name }: SessionEvent): string => (kind === "turn" ? kind : `${kind} ${name}`);
const exactly = (event: SessionEvent): string =>
  // The arguments of a request to the model contain the whole conversation, so the arguments are not compared. The
  // comparison identifies a request to the model by kind, name and position.
  event.kind === "llm" ? buildLooseKey(event) : `${buildLooseKey(event)} ${normalized(event.brief)}`;
const resultOf = ({ failed, result }: SessionEvent): string => (failed ? `failed ${normalized(result ?? "")}` : "");

/** Returns the index of the first row that differs, or -1. */
export const findDivergenceIndex = (rows: readonly AlignedRow[]): number => rows.findIndex(({ is }) => is !== "same");

const EDITS = /^(?:edit|write|multiedit|notebookedit|apply_patch|create_file|str_replace)/i;
const FILE = /"(?:file_path|path|notebook_path|filename)"\s*:\s*"((?:[^"\\]|\\.)+)/;

/** Returns the files that a run changed, according to the arguments of its calls. */
export function findChangedFiles(events: readonly SessionEvent[]): Set<string> {
  const files = events.flatMap(({ name, brief, failed }) =>
    EDITS.test(name) && !failed ? (FILE.exec(brief)?.[1] ?? []) : [],
  );
  return new Set(files);
}

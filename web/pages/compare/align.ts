import type { SessionEvent } from "../session/events.ts";

/** The outcome of comparing two calls; `a` and `b` are calls of one run alone. */
export type Sameness = "same" | "arguments" | "result" | "a" | "b";

/** A row of the comparison: calls that belong together, or a call of one run. */
export interface Row {
  a: SessionEvent | undefined;
  b: SessionEvent | undefined;
  is: Sameness;
}

/** Events of each run that are aligned, the first: a table of so many squared is made. */
export const MOST = 2_000;

/**
 * Aligns two runs: the longest common subsequence of events of the same kind and name with the same arguments. Events
 * between those that are of one name, in their order, are pairs with other arguments. Moments, ids and temporary paths in
 * arguments do not count.
 */
export function align(first: readonly SessionEvent[], second: readonly SessionEvent[]): Row[] {
  const [a, b] = [first.slice(0, MOST), second.slice(0, MOST)];
  const rows: Row[] = [];
  let [fromA, fromB] = [0, 0];
  for (const [atA, atB] of [...anchors(a.map(exactly), b.map(exactly)), [a.length, b.length] as const]) {
    rows.push(...between(a.slice(fromA, atA), b.slice(fromB, atB)));
    const [left, right] = [a[atA], b[atB]];
    if (left && right) rows.push({ a: left, b: right, is: resultOf(left) === resultOf(right) ? "same" : "result" });
    [fromA, fromB] = [atA + 1, atB + 1];
  }
  return rows;
}

/** Events between two that are the same: those of one name belong together. */
function between(a: readonly SessionEvent[], b: readonly SessionEvent[]): Row[] {
  const rows: Row[] = [];
  let [fromA, fromB] = [0, 0];
  for (const [atA, atB] of [...anchors(a.map(loosely), b.map(loosely)), [a.length, b.length] as const]) {
    for (const each of a.slice(fromA, atA)) rows.push({ a: each, b: undefined, is: "a" });
    for (const each of b.slice(fromB, atB)) rows.push({ a: undefined, b: each, is: "b" });
    const [left, right] = [a[atA], b[atB]];
    if (left && right) rows.push({ a: left, b: right, is: "arguments" });
    [fromA, fromB] = [atA + 1, atB + 1];
  }
  return rows;
}

/** The places of a longest common subsequence of two lists, in their order. */
function anchors(a: readonly string[], b: readonly string[]): [number, number][] {
  let [head, tail] = [0, 0];
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  const width = columns + 1;
  // The lengths for what is left of both lists, from the end.
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

/** Parts of arguments that differ from run to run, whatever was done. */
const VARYING: [pattern: RegExp, sign: string][] = [
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "‹id›"],
  [/\b(?:toolu|call|msg|req)_[A-Za-z0-9]{6,}\b/g, "‹id›"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[\d.:Z+-]*/g, "‹time›"],
  [/\/(?:private\/)?(?:tmp|var\/folders)\/[^\s"']*/g, "‹path›"],
  [/\b[0-9a-f]{12,}\b/gi, "‹id›"],
  [/\s+/g, " "],
];

/** A text without what differs from run to run. */
const normalized = (text: string): string =>
  VARYING.reduce((rest, [pattern, sign]) => rest.replace(pattern, sign), text).trim();

const loosely = ({ kind, name }: SessionEvent): string => (kind === "turn" ? kind : `${kind} ${name}`);
const exactly = (event: SessionEvent): string =>
  // The model's requests repeat all that was said before: they are told apart by their place alone.
  event.kind === "llm" ? loosely(event) : `${loosely(event)} ${normalized(event.brief)}`;
const resultOf = ({ failed, result }: SessionEvent): string => (failed ? `failed ${normalized(result ?? "")}` : "");

/** The first row at which the runs part, -1 if they never do. */
export const divergenceOf = (rows: readonly Row[]): number => rows.findIndex(({ is }) => is !== "same");

const EDITS = /^(?:edit|write|multiedit|notebookedit|apply_patch|create_file|str_replace)/i;
const FILE = /"(?:file_path|path|notebook_path|filename)"\s*:\s*"((?:[^"\\]|\\.)+)/;

/** The files that the calls of a run changed, as their arguments name them. */
export function filesOf(events: readonly SessionEvent[]): Set<string> {
  const files = events.flatMap(({ name, brief, failed }) =>
    EDITS.test(name) && !failed ? (FILE.exec(brief)?.[1] ?? []) : [],
  );
  return new Set(files);
}

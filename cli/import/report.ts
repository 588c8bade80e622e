import { oneLine } from "../output/print.ts";
import type { Kind, Problem, Row } from "./row.ts";
import type { Result } from "./send.ts";

/** Problems that a report keeps; more are only counted. */
const KEPT = 1_000;

/** The outcome of a file. */
export interface Report {
  written: Partial<Record<Kind, number>>;
  there: Partial<Record<Kind, number>>;
  skipped: Record<string, number>;
  refused: number;
  problems: Problem[];
}

export const emptyReport = (): Report => ({ written: {}, there: {}, skipped: {}, refused: 0, problems: [] });

/** Counts a row. Rows that only name what several issues share, such as a label, are counted where they are written. */
export function count(report: Report, { kind }: Row, { status }: Result): void {
  const list = status === "created" ? report.written : report.there;
  list[kind] = (list[kind] ?? 0) + 1;
}

/** Problems of which only the rows differ. */
interface Group {
  first: Problem;
  count: number;
  /** The first ranges of rows. */
  ranges: { from: number; to: number }[];
}

const MOST_RANGES = 5;

/** Groups the problems of a report: those with equal words become one line. */
export function problemsOf(report: Report, tell: (line: string) => void) {
  const groups = new Map<string, Group>();
  const flush = (): void => {
    for (const group of groups.values()) tell(groupLine(group));
    groups.clear();
  };
  const add = (problem: Problem): void => {
    report.refused += 1;
    if (report.problems.length < KEPT) report.problems.push(problem);
    const key = JSON.stringify([problem.column, problem.message]);
    const group = groups.get(key) ?? { first: problem, count: 0, ranges: [] };
    groups.set(key, group);
    group.count += 1;
    const last = group.ranges.at(-1);
    if (last && (problem.at === last.to || problem.at === last.to + 1)) last.to = problem.at;
    else if (group.ranges.length <= MOST_RANGES) group.ranges.push({ from: problem.at, to: problem.at });
    if (groups.size >= KEPT) flush();
  };
  return { add, flush };
}

function groupLine({ first, count, ranges }: Group): string {
  if (count === 1) return lineOf(first);
  const { column, message } = first;
  const rows = ranges.slice(0, MOST_RANGES).map(({ from, to }) => (from === to ? from : `${from}–${to}`));
  const all = [...rows, ...(ranges.length > MOST_RANGES ? ["…"] : [])].join(", ");
  return oneLine(`${count.toLocaleString("en")} rows${column ? `, ${column}` : ""}: ${message}; rows ${all}`, 600);
}

/** A problem in one line: the row, the column, what is wrong and what to do. */
export function lineOf({ at, name, column, message }: Problem): string {
  const place = `row ${at}${name ? ` (${name})` : ""}${column ? `, ${column}` : ""}`;
  return oneLine(`${place}: ${message}`, 600);
}

const counted = (counts: Partial<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, number]) => `${number} ${number === 1 ? kind : plural(kind)}`)
    .join(", ");

const plural = (kind: string): string => (kind.endsWith("s") ? kind : `${kind}s`);

/** The report as lines for a reader. */
export function reportLines(report: Report, { dryRun, file }: { dryRun: boolean; file: string }): string[] {
  const { written, there, skipped, refused } = report;
  const lines = [
    `${file}: ${counted(written) || "nothing"} ${dryRun ? "would be written" : "written"}.`,
    counted(there) && `There already, and left as they are: ${counted(there)}.`,
    counted(skipped) && `Left out: ${counted(skipped)}.`,
    refused > 0 && `Refused: ${refused}, listed above. Mend them and import again: what is there stays as it is.`,
  ];
  return lines.filter((line): line is string => Boolean(line));
}

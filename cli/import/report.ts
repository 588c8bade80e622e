import { toOneLine } from "../output/print.ts";
import type { ImportProblem, ImportRow, RowKind } from "./row.ts";
import type { RowResult } from "./send.ts";

/** Maximum number of problems that a report stores. Further problems are only counted. */
const KEPT = 1_000;

/** Result of an import. */
export interface ImportReport {
  written: Partial<Record<RowKind, number>>;
  there: Partial<Record<RowKind, number>>;
  skipped: Record<string, number>;
  refused: number;
  problems: ImportProblem[];
}

export const createReport = (): ImportReport => ({ written: {}, there: {}, skipped: {}, refused: 0, problems: [] });

/** Counts a written or existing row. */
export function countRowResult(report: ImportReport, { kind }: ImportRow, { status }: RowResult): void {
  const list = status === "created" ? report.written : report.there;
  list[kind] = (list[kind] ?? 0) + 1;
}

/** A group of problems that are equal except for the row in which they occur. */
interface Group {
  first: ImportProblem;
  count: number;
  /** First ranges of rows. */
  ranges: { from: number; to: number }[];
}

const MOST_RANGES = 5;

/**
 * Creates functions that add problems to a report and print them in groups. Problems with the same column and message
 * are printed as one line.
 */
export function createProblemGrouper(report: ImportReport, tell: (line: string) => void) {
  const groups = new Map<string, Group>();
  const flush = (): void => {
    for (const group of groups.values()) tell(groupLine(group));
    groups.clear();
  };
  const add = (problem: ImportProblem): void => {
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
  if (count === 1) return formatProblem(first);
  const { column, message } = first;
  const rows = ranges.slice(0, MOST_RANGES).map(({ from, to }) => (from === to ? from : `${from}–${to}`));
  const all = [...rows, ...(ranges.length > MOST_RANGES ? ["…"] : [])].join(", ");
  return toOneLine(`${count.toLocaleString("en")} rows${column ? `, ${column}` : ""}: ${message}; rows ${all}`, 600);
}

/** Returns a problem as one line: row, column, fault and fix. */
export function formatProblem({ at, name, column, message }: ImportProblem): string {
  const place = `row ${at}${name ? ` (${name})` : ""}${column ? `, ${column}` : ""}`;
  return toOneLine(`${place}: ${message}`, 600);
}

const counted = (counts: Partial<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, number]) => `${number} ${number === 1 ? kind : plural(kind)}`)
    .join(", ");

const plural = (kind: string): string => (kind.endsWith("s") ? kind : `${kind}s`);

/** Returns the report as lines of text. */
export function formatReport(report: ImportReport, { dryRun, file }: { dryRun: boolean; file: string }): string[] {
  const { written, there, skipped, refused } = report;
  const lines = [
    `${file}: ${counted(written) || "nothing"} ${dryRun ? "would be written" : "written"}.`,
    counted(there) && `Already imported and not changed: ${counted(there)}.`,
    counted(skipped) && `Skipped: ${counted(skipped)}.`,
    refused > 0 &&
      `Refused: ${refused}, listed above. Correct these rows and import the file again. Rows that are already imported do not change.`,
  ];
  return lines.filter((line): line is string => Boolean(line));
}

import { readOwn } from "../../formats/own.ts";
import type { Caller } from "../api/graphql.ts";
import { Plan } from "./plan.ts";
import { startProgress } from "./progress.ts";
import { sizeOf } from "./read/file.ts";
import { count, emptyReport, problemsOf, type Report } from "./report.ts";
import { type Converted, type Format, type Kind, type Row, type Settings, Wrong } from "./row.ts";
import { type Result, sender } from "./send.ts";

/** The rows of the first pass, and of the second, when everything they may refer to is there. */
const PASSES: readonly (readonly Kind[])[] = [
  ["team", "label", "project", "milestone", "cycle", "issue"],
  ["comment", "parent", "relation", "template", "view"],
];

export interface Import {
  caller: Caller;
  format: Format;
  file: string;
  settings: Settings;
  dryRun: boolean;
  json: boolean;
}

/** One import under way. */
interface Run extends Import {
  report: Report;
  /** There in a dry run. */
  plan: Plan | undefined;
  /** Ids of this file's issues and comments, with where they stand. */
  seen: Map<string, number>;
  problems: ReturnType<typeof problemsOf>;
  tell(line: string): void;
}

/** Imports a file: it is read twice, a piece at a time, and sent in calls of hundreds of rows. */
export async function importFile(given: Import): Promise<Report> {
  const size = (await sizeOf(given.file)) || 1;
  const bar = startProgress(`Importing ${given.file}`, given.json ? false : undefined);
  const plan = given.dryRun ? new Plan(given.settings.source) : undefined;
  const [report, tell] = [emptyReport(), given.json ? () => {} : bar.tell];
  const run: Run = { ...given, plan, report, problems: problemsOf(report, tell), seen: new Map(), tell };
  let read = 0;
  const onBytes = (bytes: number) => {
    read += bytes;
    bar.at(
      read / (size * PASSES.length),
      `${Object.values(run.report.written).reduce((sum, each) => sum + each, 0)} rows written`,
    );
  };
  try {
    for (const [pass, kinds] of PASSES.entries()) await runPass(run, { first: pass === 0, kinds, onBytes });
  } finally {
    run.problems.flush();
    bar.end();
  }
  return run.report;
}

interface Pass {
  first: boolean;
  kinds: readonly Kind[];
  onBytes(bytes: number): void;
}

async function runPass(run: Run, { first, kinds, onBytes }: Pass): Promise<void> {
  const { caller, plan, format, file, settings } = run;
  const onWait = (seconds: number) => run.tell(`The server asks to wait ${seconds} s.`);
  const target = { caller, plan, source: settings.source, onWait };
  const { add, flush } = sender(target, (row, result) => settle(run, row, result));
  const shared = new Set<string>();
  for await (const { at, record } of format.records(file, onBytes)) {
    const { rows, problems, skipped } = converted(run, record, at);
    if (first && skipped) run.report.skipped[skipped] = (readOwn(run.report.skipped, skipped) ?? 0) + 1;
    if (first) for (const problem of problems) run.problems.add(problem);
    for (const row of rows) {
      if (!kinds.includes(row.kind) || isRepeated(shared, row) || !isFirst(run, row)) continue;
      await add(row);
    }
  }
  await flush();
}

/** The rows of a record, or the problem with it. */
function converted({ format, settings }: Run, record: unknown, at: number): Converted {
  try {
    return format.convert(record, at, settings);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { message, column } = error;
    return { rows: [], problems: [{ at, name: nameOf(record), column: column || undefined, message }] };
  }
}

/** The name people know a record by, where there is one. */
function nameOf(record: unknown): string {
  const { id, number, get } = Object(record) as {
    id?: unknown;
    number?: unknown;
    get?: (...names: string[]) => string;
  };
  return String(get?.("ID", "Issue key", "Work item key", "Key") ?? id ?? number ?? "").slice(0, 60);
}

/** Teams, labels and cycles that many records name are sent once. */
function isRepeated(shared: Set<string>, { kind, fields }: Row): boolean {
  if (kind !== "team" && kind !== "label" && kind !== "cycle") return false;
  const key = JSON.stringify([kind, fields["team"], fields["key"], fields["name"], fields["number"]]);
  if (shared.has(key)) return true;
  shared.add(key);
  return false;
}

/** Notes the ids of issues and comments. An id that came before is a problem. */
function isFirst(run: Run, { kind, fields, at, name }: Row): boolean {
  if (kind !== "issue" && kind !== "comment") return true;
  const ids = [fields["externalId"], fields["id"]].filter((id) => typeof id === "string");
  for (const id of ids) {
    const key = `${kind} ${id}`;
    const before = run.seen.get(key);
    if (before === undefined) run.seen.set(key, at);
    else {
      const column = columnOf(run, kind === "issue" ? "externalId" : "body");
      const message = `has the same id as in row ${before}; give it another, or leave it out`;
      run.problems.add({ at, name, column, message });
      return false;
    }
  }
  for (const other of [fields["externalIds"]].flat())
    if (other) run.seen.set(`issue ${String(other).replace(/^[^:]*:/, "")}`, at);
  return true;
}

/** Counts what became of a row, or tells what is wrong with it. */
function settle(run: Run, row: Row, result: Result): void {
  if (result.status !== "refused") {
    count(run.report, row, result);
    return;
  }
  // The problem of a team that many rows name is reported with each of them.
  if (row.kind === "team" && run.format.columns["key"]) return;
  const { at, name } = row;
  const { field, message } = result;
  const cure = field === "state" ? `, or say --state "${row.fields["state"]}=Todo"` : "";
  const problem = { at, name, column: columnOf(run, field), message: `${message ?? "was refused"}${cure}` };
  run.problems.add(problem);
}

/** The column that a field comes from. */
function columnOf({ format }: Run, field: string | null | undefined): string | undefined {
  return field ? (readOwn(format.columns, field) ?? field) : undefined;
}

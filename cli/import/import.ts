import { getOwnProperty } from "../../formats/own.ts";
import type { ApiCredentials } from "../api/graphql.ts";
import { DryRunPlan } from "./plan.ts";
import { startProgress } from "./progress.ts";
import { readFileSize } from "./read/file.ts";
import { countRowResult, createProblemGrouper, createReport, type ImportReport } from "./report.ts";
import {
  type ConvertedRecord,
  FaultyColumnError,
  type ImportFormat,
  type ImportRow,
  type ImportSettings,
  type RowKind,
} from "./row.ts";
import { createRowSender, type RowResult } from "./send.ts";

/** Kinds of rows in the first pass and in the second pass. Rows of the second pass refer to rows of the first pass. */
const PASSES: readonly (readonly RowKind[])[] = [
  ["team", "label", "project", "milestone", "cycle", "issue"],
  ["comment", "parent", "relation", "template", "view"],
];

export interface ImportRequest {
  caller: ApiCredentials;
  format: ImportFormat;
  file: string;
  settings: ImportSettings;
  dryRun: boolean;
  json: boolean;
}

/** State of a running import. */
interface Run extends ImportRequest {
  report: ImportReport;
  /** Exists only in a dry run. */
  plan: DryRunPlan | undefined;
  /** Ids of the issues and comments of the file, with their row numbers. */
  seen: Map<string, number>;
  problems: ReturnType<typeof createProblemGrouper>;
  tell(line: string): void;
}

/** Imports a file. Reads the file once per pass in small parts, and sends hundreds of rows per request. */
export async function importFile(given: ImportRequest): Promise<ImportReport> {
  const size = (await readFileSize(given.file)) || 1;
  const bar = startProgress(`Importing ${given.file}`, given.json ? false : undefined);
  const plan = given.dryRun ? new DryRunPlan(given.settings.source) : undefined;
  const [report, tell] = [createReport(), given.json ? () => {} : bar.tell];
  const run: Run = { ...given, plan, report, problems: createProblemGrouper(report, tell), seen: new Map(), tell };
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
  kinds: readonly RowKind[];
  onBytes(bytes: number): void;
}

async function runPass(run: Run, { first, kinds, onBytes }: Pass): Promise<void> {
  const { caller, plan, format, file, settings } = run;
  const onWait = (seconds: number) => run.tell(`The server asks the command to wait ${seconds} s.`);
  const target = { caller, plan, source: settings.source, onWait };
  const { add, flush } = createRowSender(target, (row, result) => settle(run, row, result));
  const shared = new Set<string>();
  for await (const { at, record } of format.records(file, onBytes)) {
    const { rows, problems, skipped } = converted(run, record, at);
    if (first && skipped) run.report.skipped[skipped] = (getOwnProperty(run.report.skipped, skipped) ?? 0) + 1;
    if (first) for (const problem of problems) run.problems.add(problem);
    for (const row of rows) {
      if (!kinds.includes(row.kind) || isRepeated(shared, row) || !isFirst(run, row)) continue;
      await add(row);
    }
  }
  await flush();
}

/** Returns the rows of a record, or the problem with the record. */
function converted({ format, settings }: Run, record: unknown, at: number): ConvertedRecord {
  try {
    return format.convert(record, at, settings);
  } catch (error) {
    if (!(error instanceof FaultyColumnError)) throw error;
    const { message, column } = error;
    return { rows: [], problems: [{ at, name: nameOf(record), column: column || undefined, message }] };
  }
}

/** Returns the name by which users know a record, if there is one. */
function nameOf(record: unknown): string {
  const { id, number, get } = Object(record) as {
    id?: unknown;
    number?: unknown;
    get?: (...names: string[]) => string;
  };
  return String(get?.("ID", "Issue key", "Work item key", "Key") ?? id ?? number ?? "").slice(0, 60);
}

/**
 * Returns true if this team, label or cycle was already sent. Many records name the same entity, and each entity is
 * sent only once per pass.
 */
function isRepeated(shared: Set<string>, { kind, fields }: ImportRow): boolean {
  if (kind !== "team" && kind !== "label" && kind !== "cycle") return false;
  const key = JSON.stringify([kind, fields["team"], fields["key"], fields["name"], fields["number"]]);
  if (shared.has(key)) return true;
  shared.add(key);
  return false;
}

/** Records the ids of issues and comments. Returns false and reports a problem if an earlier row has the same id. */
function isFirst(run: Run, { kind, fields, at, name }: ImportRow): boolean {
  if (kind !== "issue" && kind !== "comment") return true;
  const ids = [fields["externalId"], fields["id"]].filter((id) => typeof id === "string");
  for (const id of ids) {
    const key = `${kind} ${id}`;
    const before = run.seen.get(key);
    if (before === undefined) run.seen.set(key, at);
    else {
      const column = columnOf(run, kind === "issue" ? "externalId" : "body");
      const message = `has the same id as row ${before}; change the id, or remove the row`;
      run.problems.add({ at, name, column, message });
      return false;
    }
  }
  for (const other of [fields["externalIds"]].flat())
    if (other) run.seen.set(`issue ${String(other).replace(/^[^:]*:/, "")}`, at);
  return true;
}

/** Counts the result of a row, or reports the problem with it. */
function settle(run: Run, row: ImportRow, result: RowResult): void {
  if (result.status !== "refused") {
    countRowResult(run.report, row, result);
    return;
  }
  // The same problem is reported for each issue of the team, so the team's own row does not report the problem again.
  if (row.kind === "team" && run.format.columns["key"]) return;
  const { at, name } = row;
  const { field, message } = result;
  const cure = field === "state" ? `, or add --state "${row.fields["state"]}=Todo"` : "";
  const problem = { at, name, column: columnOf(run, field), message: `${message ?? "was refused"}${cure}` };
  run.problems.add(problem);
}

/**
 * Returns the name of the file's column from which a field was read. Returns the field's own name if the format has no
 * such column.
 */
function columnOf({ format }: Run, field: string | null | undefined): string | undefined {
  return field ? (getOwnProperty(format.columns, field) ?? field) : undefined;
}

import { toComparableName } from "../../formats/names.ts";

/** Kinds of rows of an import. docs/import.md describes the fields of each kind. */
export const ROW_KINDS = [
  ...(["team", "label", "project", "cycle", "issue", "comment", "parent", "relation"] as const),
  ...(["milestone", "template", "view"] as const),
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** A row in the server's format, with its origin in the file. */
export interface ImportRow {
  kind: RowKind;
  fields: Record<string, unknown>;
  /** Number of the row or line in the file. */
  at: number;
  /** Name by which users know the row. */
  name: string;
}

/** A fault in a row, or in one value of a row. The import omits only that row or that value. */
export interface ImportProblem {
  at: number;
  name: string;
  column: string | undefined;
  /** Fault and fix. */
  message: string;
}

/** Options of an import. */
export interface ImportSettings {
  /** Name of the source. External ids are unique within a source. */
  source: string;
  /** Key of the team to import into. Overrides the team in the file. */
  team: string | undefined;
  /** Maps the name of a state in the file to the name of a state in Trackway. */
  states: ReadonlyMap<string, string>;
  /** Offset from UTC, in milliseconds, for times in the file that contain no offset. */
  offset: number;
  /** Order of day and month in dates such as 3/4/2026. */
  dates: "dmy" | "mdy" | undefined;
}

/** Rows for one record of a file. */
export interface ConvertedRecord {
  rows: ImportRow[];
  problems: ImportProblem[];
  /** Reason why a record is skipped, such as "pull requests". */
  skipped?: string;
}

/** Import format: how to read a file, and how to convert its records. */
export interface ImportFormat {
  name: string;
  title: string;
  /** Default name of the source. */
  source: string;
  /** Reads the records of a file, with their numbers. */
  records(file: string, onBytes: (bytes: number) => void): AsyncIterable<{ at: number; record: unknown }>;
  convert(record: unknown, at: number, settings: ImportSettings): ConvertedRecord;
  /** Maps a field of Trackway to the column of the file from which the field is read. Used in problem reports. */
  columns: Readonly<Record<string, string>>;
}

/** Thrown for a fault in one column of a record. */
export class FaultyColumnError extends Error {
  readonly column: string;
  constructor(column: string, message: string) {
    super(message);
    this.column = column;
  }
}

/** Removes fields without a value. */
export const omitEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );

/** Parses a text that identifies a person. The text is either an email address or a name. */
export function parsePerson(text: string | undefined | null): { name: string; email?: string } | undefined {
  const name = text?.trim().slice(0, 256);
  if (!name) return undefined;
  return /^\S+@\S+\.\S+$/.test(name) ? { name, email: name.toLowerCase() } : { name };
}

/** Common names of states, by type. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  triage: ["triage"],
  backlog: ["backlog", "icebox", "deferred"],
  unstarted: ["todo", "to do", "open", "new", "ready", "planned", "reopened", "selected for development", "blocked"],
  started: ["in progress", "in review", "in development", "doing", "started", "review", "testing", "qa", "in testing"],
  completed: ["done", "closed", "resolved", "complete", "completed", "finished", "released", "shipped"],
  canceled: [
    "canceled",
    "cancelled",
    "won't do",
    "won't fix",
    "wontfix",
    "rejected",
    "declined",
    "invalid",
    "abandoned",
  ],
  duplicate: ["duplicate"],
};

const TYPES = new Map(Object.entries(MEANINGS).flatMap(([type, names]) => names.map((name) => [name, type])));

/**
 * Returns the state of an issue, with the type of the state if known. If the team has no state with this name, the
 * server creates the state, but only if its type is known. Otherwise the server responds with an error that lists the
 * team's states.
 */
export function toIssueState(name: string | undefined, hint: string | undefined, { states }: ImportSettings) {
  const trimmed = name?.trim();
  if (!trimmed) return {};
  const mapped = states.get(toComparableName(trimmed));
  if (mapped) return { state: mapped };
  return { state: trimmed, stateType: TYPES.get(trimmed.toLowerCase()) ?? hint };
}

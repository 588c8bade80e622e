/** The kinds of rows of an import. docs/import.md has the fields of each. */
export const KINDS = [
  ...(["team", "label", "project", "cycle", "issue", "comment", "parent", "relation"] as const),
  ...(["milestone", "template", "view"] as const),
] as const;
export type Kind = (typeof KINDS)[number];

/** A row as the server takes it, and where in the file it comes from. */
export interface Row {
  kind: Kind;
  fields: Record<string, unknown>;
  /** Number of the row or line in the file. */
  at: number;
  /** The name people know it by. */
  name: string;
}

/** Something wrong with a row, or a part of it: it is left out, and nothing else is. */
export interface Problem {
  at: number;
  name: string;
  /** The column or field. */
  column: string | undefined;
  /** The fault, and what to do. */
  message: string;
}

/** The caller's options about a file. */
export interface Settings {
  /** Name of where the file comes from; ids are unique within it. */
  source: string;
  /** Key of the team to import into, for files that do not say, or to say otherwise. */
  team: string | undefined;
  /** States by the names that the file has for them, in small letters. */
  states: ReadonlyMap<string, string>;
  /** Milliseconds that the file's clock is ahead of UTC, where it does not say. */
  offset: number;
  /** The order of days and months in dates such as 3/4/2026. */
  dates: "dmy" | "mdy" | undefined;
}

/** The rows that one record of a file becomes. */
export interface Converted {
  rows: Row[];
  problems: Problem[];
  /** Why a record is no issue, such as a pull request. */
  skipped?: string;
}

/** A format: how a file of it is read, and what its records mean. */
export interface Format {
  name: string;
  title: string;
  /** The endings of its file names, for the help. */
  source: string;
  /** The records of a file, one after another, with their numbers. */
  records(file: string, onBytes: (bytes: number) => void): AsyncIterable<{ at: number; record: unknown }>;
  convert(record: unknown, at: number, settings: Settings): Converted;
  /** The columns that fields come from, for the report. */
  columns: Readonly<Record<string, string>>;
}

/** Wrong in one place of a record. */
export class Wrong extends Error {
  readonly column: string;
  constructor(column: string, message: string) {
    super(message);
    this.column = column;
  }
}

/** Fields without those that have no value. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );

/** A person as a file names one: an address, or a name. */
export function person(text: string | undefined | null): { name: string; email?: string } | undefined {
  const name = text?.trim().slice(0, 256);
  if (!name) return undefined;
  return /^\S+@\S+\.\S+$/.test(name) ? { name, email: name.toLowerCase() } : { name };
}

/** The type of a state, by the names it commonly has. */
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
 * The state of an issue, with its type where that is known. A team that lacks the state then gets it; a state of
 * unknown type is refused with the team's own.
 */
export function stateOf(name: string | undefined, hint: string | undefined, { states }: Settings) {
  const trimmed = name?.trim();
  if (!trimmed) return {};
  const mapped = states.get(trimmed.toLowerCase());
  if (mapped) return { state: mapped };
  return { state: trimmed, stateType: TYPES.get(trimmed.toLowerCase()) ?? hint };
}

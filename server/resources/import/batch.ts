import { type NameMap, toCanonicalText } from "../../../formats/names.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import type { Write } from "../../write/write.ts";

/** A team as the rows of a request find and change the team. */
export interface Team {
  id: string;
  key: string;
  issueCounter: number;
  cycleCounter: number;
  defaultStateId: string;
  /** True if the team has issues, including archived and trashed issues. */
  used: boolean;
  /** The team's requirements for proof. */
  proof?: unknown;
  states: NameMap<{ id: string; name: string; type: string; position: number }>;
}

/** A comment that replies may refer to. */
export interface Thread {
  id: string;
  issueId: string | null;
  parentId: string | null;
}

/** A person in a row: a member, or an external user. */
export type Author = { userId: string; assignable: boolean } | { externalUserId: string };

/** State of an import request: the existing rows that were found, and the rows that were added so far. */
export interface ImportBatch {
  write: Write;
  source: string;
  dryRun: boolean;
  teams: Map<string, Team>;
  /** By team and name. An empty team stands for the organization. */
  labels: NameMap<{ id: string; isGroup: boolean }>;
  /** By id, and by name. */
  projects: NameMap<string>;
  statuses: NameMap<{ id: string; type: string; position: number }>;
  /** Projects of milestones, by milestone id. */
  milestones: Map<string, string>;
  /** By team and number. */
  cycles: Map<string, string>;
  /** By email address. */
  members: Map<string, Author>;
  /** By name and email address. */
  people: Map<string, Author>;
  /** Ids of issues by the references in rows: the id, or source:id. */
  issues: Map<string, string>;
  comments: Map<string, Thread>;
  /** Previous identifiers that an issue already has. */
  identifiers: Set<string>;
  /** Issue numbers of teams that are or were in use. */
  numbers: Set<string>;
}

/** Outcome of an accepted row. */
export interface Outcome {
  status: "created" | "exists";
  entityId?: string;
  identifier?: string;
}

/** Ids of an issue or comment in other systems. */
export interface Names {
  id?: string | null | undefined;
  externalId?: string | null | undefined;
  externalIds?: readonly string[] | null | undefined;
}

/** Returns every name by which a row can be recognized. */
export const rowNames = (source: string, { id, externalId, externalIds }: Names): string[] => [
  ...(externalId ? [`${source}:${externalId}`] : []),
  ...(externalIds ?? []),
  ...(id ? [id] : []),
];

/** Returns the existing value for a row, found by any of its names. */
export function findExisting<Value>(
  things: ReadonlyMap<string, Value>,
  batch: ImportBatch,
  names: Names,
): Value | undefined {
  for (const name of rowNames(batch.source, names)) {
    const found = things.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the value that a row references, by external id or by id here. @throws inputError if no value exists */
export function findReferenced<Value>(
  things: ReadonlyMap<string, Value>,
  { source }: ImportBatch,
  { field, what, ref }: { field: string; what: string; ref: string },
): Value {
  const found = things.get(`${source}:${ref}`) ?? (isUuid(ref) ? things.get(ref.toLowerCase()) : undefined);
  if (found !== undefined) return found;
  throw inputError(`there is no ${what} ${ref} from ${source}; import it first`, field);
}

/** Returns a team by its key. @throws inputError if no team exists */
export function teamNamed({ teams }: ImportBatch, key: string, field = "team"): Team {
  const team = teams.get(key);
  if (team) return team;
  throw inputError(`there is no team ${key}; import a row for it first, or choose another team`, field);
}

/** Returns the key of a label or a cycle: the team, and the name or number. */
export const scopedKey = (teamId: string | null | undefined, name: string | number): string =>
  `${teamId ?? ""} ${name}`;

/**
 * Returns the key of a person. Two names with the same Unicode normal form are equal. Addresses are compared byte by
 * byte.
 */
export const personKey = (name: string, email: string | null | undefined): string =>
  `${toCanonicalText(name)}\n${email ?? ""}`;

/** Runs a query whose first parameter is the organization. Each list is a single parameter. */
export const readRows = <Found>({ write }: ImportBatch, text: string, values: readonly unknown[]): Promise<Found[]> =>
  write.trx.query<Found>({ text, values: [write.scope.organizationId, ...values], writes: [] });

/** Returns distinct values without null and undefined. */
export const distinctValues = <Value>(values: Iterable<Value | null | undefined>): NonNullable<Value>[] => [
  ...new Set([...values].filter((value): value is NonNullable<Value> => value !== null && value !== undefined)),
];

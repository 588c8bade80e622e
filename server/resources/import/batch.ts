import { type NameMap, toCanonicalText } from "../../../formats/names.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import type { WriteContext } from "../../write/write.ts";

/** A team of an import request. Rows of the request look up the team, and update its counters and states. */
export interface ImportTeam {
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
export interface CommentThread {
  id: string;
  issueId: string | null;
  parentId: string | null;
}

/** A person in a row: a member, or an external user. */
export type Author = { userId: string; assignable: boolean } | { externalUserId: string };

/** State of an import request: the existing rows that were found, and the rows that were added so far. */
export interface ImportBatch {
  write: WriteContext;
  source: string;
  dryRun: boolean;
  teams: Map<string, ImportTeam>;
  /** Labels by team and name. An empty team stands for the labels of the organization. */
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
  /**
   * Ids of issues that exist or that earlier rows created, by the references that rows use: the issue's id, or
   * `source:id`.
   */
  issues: Map<string, string>;
  comments: Map<string, CommentThread>;
  /** Identifiers that an issue had earlier (`previousIdentifiers`), including those that earlier rows of the import add. */
  identifiers: Set<string>;
  /** Issue numbers that are or were in use, by team. */
  numbers: Set<string>;
}

/** Outcome of an accepted row. */
export interface ImportOutcome {
  status: "created" | "exists";
  entityId?: string;
  identifier?: string;
}

/** The ids of an imported issue or comment: its id in Trackway, and its ids in other systems. */
export interface RowIdentifiers {
  id?: string | null | undefined;
  externalId?: string | null | undefined;
  externalIds?: readonly string[] | null | undefined;
}

/** Returns all ids by which a second import recognizes a row, in the form `source:id` or as an id in Trackway. */
export const listRowIdentifiers = (source: string, { id, externalId, externalIds }: RowIdentifiers): string[] => [
  ...(externalId ? [`${source}:${externalId}`] : []),
  ...(externalIds ?? []),
  ...(id ? [id] : []),
];

/** Returns the existing value with any of the ids of a row. Returns undefined if no value has one of the ids. */
export function findExisting<Value>(
  things: ReadonlyMap<string, Value>,
  batch: ImportBatch,
  names: RowIdentifiers,
): Value | undefined {
  for (const name of listRowIdentifiers(batch.source, names)) {
    const found = things.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the value that a row references by an external id, or by an id in Trackway. @throws inputError if no such
 * value exists
 */
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
export function getTeamByKey({ teams }: ImportBatch, key: string, field = "team"): ImportTeam {
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
export const queryOrganizationRows = <Found>(
  { write }: ImportBatch,
  text: string,
  values: readonly unknown[],
): Promise<Found[]> => write.trx.query<Found>({ text, values: [write.scope.organizationId, ...values], writes: [] });

/** Returns distinct values without null and undefined. */
export const distinctValues = <Value>(values: Iterable<Value | null | undefined>): NonNullable<Value>[] => [
  ...new Set([...values].filter((value): value is NonNullable<Value> => value !== null && value !== undefined)),
];

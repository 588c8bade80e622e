import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import type { Write } from "../../write/write.ts";

/** A team as the rows of one call find and change it. */
export interface Team {
  id: string;
  key: string;
  issueCounter: number;
  cycleCounter: number;
  defaultStateId: string;
  /** True if it has issues, the archive and the trash included. */
  used: boolean;
  /** Everything that it demands to be proven. */
  proof?: unknown;
  states: Map<string, { id: string; name: string; type: string; position: number }>;
}

/** A comment that others may answer. */
export interface Thread {
  id: string;
  issueId: string | null;
  parentId: string | null;
}

/** Someone whom rows name: a member, or somebody without an account. */
export type Author = { userId: string; assignable: boolean } | { externalUserId: string };

/** State of one call: rows that it found in the organization, and those that it has added so far. */
export interface Batch {
  write: Write;
  source: string;
  dryRun: boolean;
  teams: Map<string, Team>;
  /** By team ("" is the whole organization) and name in small letters. */
  labels: Map<string, { id: string; isGroup: boolean }>;
  /** By id, and by name in small letters. */
  projects: Map<string, string>;
  statuses: Map<string, { id: string; type: string; position: number }>;
  /** The projects of milestones, by their ids. */
  milestones: Map<string, string>;
  /** By team and number. */
  cycles: Map<string, string>;
  /** By address. */
  members: Map<string, Author>;
  /** By name and address. */
  people: Map<string, Author>;
  /** Ids of issues by what rows call them: their id, or source:id. */
  issues: Map<string, string>;
  comments: Map<string, Thread>;
  /** Identifiers from elsewhere that an issue has already. */
  identifiers: Set<string>;
  /** Numbers of teams that issues have or had. */
  numbers: Set<string>;
}

/** The outcome of a row that was not refused. */
export interface Outcome {
  status: "created" | "exists";
  entityId?: string;
  identifier?: string;
}

/** Ids from elsewhere, as issues and comments have them. */
export interface Names {
  id?: string | null | undefined;
  externalId?: string | null | undefined;
  externalIds?: readonly string[] | null | undefined;
}

/** Every name that a row has for itself. */
export const namesOf = (source: string, { id, externalId, externalIds }: Names): string[] => [
  ...(externalId ? [`${source}:${externalId}`] : []),
  ...(externalIds ?? []),
  ...(id ? [id] : []),
];

/** The value that a row has already, if it is there by any of its names. */
export function known<Value>(things: ReadonlyMap<string, Value>, batch: Batch, names: Names): Value | undefined {
  for (const name of namesOf(batch.source, names)) {
    const found = things.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value that a row refers to, by its id from elsewhere or by its id here. @throws inputError when there is none */
export function referred<Value>(
  things: ReadonlyMap<string, Value>,
  { source }: Batch,
  { field, what, ref }: { field: string; what: string; ref: string },
): Value {
  const found = things.get(`${source}:${ref}`) ?? (isUuid(ref) ? things.get(ref.toLowerCase()) : undefined);
  if (found !== undefined) return found;
  throw inputError(`there is no ${what} ${ref} from ${source}; import it first`, field);
}

/** A team by its key. @throws inputError when there is none */
export function teamNamed({ teams }: Batch, key: string, field = "team"): Team {
  const team = teams.get(key);
  if (team) return team;
  throw inputError(`there is no team ${key}; import a row for it first, or choose another team`, field);
}

/** The key of a label or a cycle: the team, and what names it there. */
export const within = (teamId: string | null | undefined, name: string | number): string =>
  `${teamId ?? ""} ${String(name).toLowerCase()}`;

/** The key of a person. */
export const personKey = (name: string, email: string | null | undefined): string => `${name}\n${email ?? ""}`;

/** Reads by a statement whose first parameter is the organization. Its lists are single parameters each. */
export const read = <Found>({ write }: Batch, text: string, values: readonly unknown[]): Promise<Found[]> =>
  write.trx.query<Found>({ text, values: [write.scope.organizationId, ...values], writes: [] });

/** Each value once, without what is absent. */
export const some = <Value>(values: Iterable<Value | null | undefined>): NonNullable<Value>[] => [
  ...new Set([...values].filter((value): value is NonNullable<Value> => value !== null && value !== undefined)),
];

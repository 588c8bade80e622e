import type { Statement } from "../../db/open.ts";
import { readOwn } from "../../formats/own.ts";
import { type Build, type Model, type SqlRow, tenantColumn } from "../read/entity.ts";
import { recordJson } from "../read/json.ts";
import { preparedStatement } from "../read/prepared-statement.ts";
import { column, fieldValue, given, inOrganization, newRow, organization } from "../read/row.ts";
import type { Scope } from "../scope.ts";
import { noHook } from "./derived/deliveries.ts";
import { actors } from "./group-commit/log-context.ts";
import type { Known } from "./group-commit/row-cache.ts";
import type { Entry } from "./write.ts";

/** A change with its number, its moment and who made it. */
export interface Logged extends Entry {
  number: number;
  at: string;
  userId: string;
  /** Its JSON, where it is known. */
  actor: string | undefined;
}

/** Changes that one statement can write: of one organization, of its users or of the server's own jobs. */
export interface Log {
  scope: Scope;
  model: Model;
  /** The organization's: part of every address. */
  urlKey: string;
  /** Facts that were cached of the organization: the statement fails if a webhook is enabled where none was. */
  known: Known;
  entries: readonly Logged[];
}

/** The lists that a statement takes of the changes of one kind. */
const LISTS = {
  numbers: ["bigint[]", ({ number }: Logged) => number],
  ids: ["uuid[]", ({ id }: Logged) => id],
  befores: ["json[]", ({ updatedFrom }: Logged) => (updatedFrom ? JSON.stringify(updatedFrom) : null)],
  users: ["uuid[]", ({ userId }: Logged) => userId],
  moments: ["timestamptz[]", ({ at }: Logged) => at],
  actors: ["json[]", ({ actor }: Logged) => actor],
} as const;

/** Lists that are not needed always, by when they are. */
const ONLY: Partial<Record<string, Author>> = { users: "several", actors: "known" };

/**
 * The statement that writes changes. It reads what the rows look like where they were just written. Raw SQL: the read
 * planner writes the rows' JSON. The organization is taken from a row, and its urlKey is given: where tables lie on several
 * nodes, the organization's then runs all of it, and commits alone.
 */
export function changesStatement({ scope, model, urlKey, known, entries }: Log): Statement {
  const kinds = new Map<string, Logged[]>();
  for (const entry of entries) {
    const kind = `${entry.entity.name} ${entry.action} ${entry.event}`;
    const same = kinds.get(kind);
    if (same) same.push(entry);
    else kinds.set(kind, [entry]);
  }
  const groups = [...kinds].sort(([one], [other]) => (one < other ? -1 : 1));
  const values = groups.flatMap(([, all], at) =>
    Object.entries(LISTS).map(([name, [, get]]) => [`${at}.${name}`, all.map((each): unknown => get(each))] as const),
  );
  const author = authorOf(scope, entries);
  const extra = Object.assign({}, ...entries.map((entry) => entry.given));
  const inputs = {
    scope,
    args: [],
    given: { ...extra, urlKey, author: entries[0]?.userId, ...Object.fromEntries(values) },
  };
  const unhooked = known.hooked === false;
  const shape = `log ${author} ${unhooked} ${groups.map(([kind]) => kind).join()}`;
  const statement = preparedStatement(model, shape, inputs, (build) => logSql(build, groups, { author, unhooked }));
  return { ...statement, writes: ["change"] };
}

/** Whose changes they are. Where the JSON is not known, the statement makes it, of one author once. */
type Author = "system" | "known" | "one" | "several";

function authorOf({ system }: Scope, entries: readonly Logged[]): Author {
  if (system) return "system";
  if (entries.every(({ actor }) => actor !== undefined)) return "known";
  return entries.every(({ userId }) => userId === entries[0]?.userId) ? "one" : "several";
}

type Kinds = readonly (readonly [string, Entry[]])[];

function logSql(build: Build, groups: Kinds, { author, unhooked }: { author: Author; unhooked: boolean }): string {
  build.urlKeyGiven = true;
  const selects = groups.map(([, [entry]], at) => (entry ? select(build, entry, at, author) : ""));
  if (unhooked) selects[0] += ` where ${noHook(build)}`;
  // OFFSET 0 is for Citus, which plans an insert without it once for each shard; no test on one node fails without it.
  return `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId",
      data, "updatedFrom", actor, "createdAt") ${selects.join(" union all ")} offset 0`;
}

function select(build: Build, { entity, action, event }: Entry, at: number, author: Author): string {
  const row = newRow(build, entity);
  const own = Object.entries(LISTS).filter(([name]) => (readOwn(ONLY, name) ?? author) === author);
  const names = own.map(([name]) => name);
  const lists = own.map(([name, [type]]) => given(build, `${at}.${name}`, type));
  const [team, data] = [teamOf(row), published(row)];
  return `select ${row.alias}."${tenantColumn(entity)}", v.numbers, '${entity.name}', '${action}', '${event}', v.ids, ${team}, ${data},
      v.befores, ${authorSql(build, author)}, v.moments from unnest(${lists.join(", ")}) v (${names.join(", ")})
    join "${entity.table}" ${row.alias} on ${inOrganization(row)} and ${column(row, "id")} = v.ids${row.frame.joins.join("")}`;
}

/** SQL of an entity as the change log publishes it: its columns and the computed values declared for it. */
function published(row: SqlRow): string {
  const { columns, computed = {} } = row.entity;
  return recordJson([
    ...Object.entries(columns).map(([name, type]) => [name, { sql: column(row, name), type }] as const),
    ...Object.entries(computed).flatMap(([name, { published, type, sql }]) =>
      published ? [[name, { sql: sql(row), type }] as const] : [],
    ),
  ]);
}

/** SQL of the team a row belongs to, for webhooks scoped to a team. */
const teamOf = (row: SqlRow): string => fieldValue(row, "teamId")?.sql ?? "null::uuid";

function authorSql(build: Build, author: Author): string {
  if (author === "system") return `'{"type":"system"}'::json`;
  if (author === "known") return "v.actors";
  return actors(build.model).actor(organization(build), author === "one" ? given(build, "author", "uuid") : "v.users");
}

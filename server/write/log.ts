import type { Statement } from "../../db/open.ts";
import type { Build, Model, SqlRow } from "../read/entity.ts";
import { recordJson } from "../read/json.ts";
import { preparedStatement } from "../read/prepared-statement.ts";
import { column, fieldValue, given, inTenant, newRow, organization } from "../read/row.ts";
import type { Scope } from "../scope.ts";
import type { Entry } from "./write.ts";

/** A change with its number, its moment and who made it. */
export interface Logged extends Entry {
  number: number;
  at: string;
  userId: string;
}

/** Changes that one statement can write: of one organization, of its users or of the server's own jobs. */
export interface Log {
  scope: Scope;
  model: Model;
  /** The organization's: part of every address. */
  urlKey: string;
  entries: readonly Logged[];
}

/** What a statement takes of the changes of one kind, a list of each. */
const LISTS = {
  numbers: ["bigint[]", ({ number }: Logged) => number],
  ids: ["uuid[]", ({ id }: Logged) => id],
  befores: ["json[]", ({ updatedFrom }: Logged) => (updatedFrom ? JSON.stringify(updatedFrom) : null)],
  users: ["uuid[]", ({ userId }: Logged) => userId],
  moments: ["timestamptz[]", ({ at }: Logged) => at],
} as const;

/**
 * The statement that writes changes. It reads what the rows look like where they were just written. Raw SQL: the read
 * planner writes the rows' JSON. The organization is taken from a row, and its urlKey is given: where tables lie on several
 * nodes, the organization's then runs all of it, and commits alone.
 */
export function changesStatement({ scope, model, urlKey, entries }: Log): Statement {
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
  const [first] = entries;
  const author = authorOf(scope, entries);
  const inputs = { scope, args: [], given: { urlKey, author: first?.userId, ...Object.fromEntries(values) } };
  const shape = `log ${author} ${groups.map(([kind]) => kind).join()}`;
  return preparedStatement(model, shape, inputs, (build) => logSql(build, groups, author));
}

/** Whose changes they are. Of one author the statement makes the JSON once. */
type Author = "system" | "one" | "several";

function authorOf({ system }: Scope, entries: readonly Logged[]): Author {
  if (system) return "system";
  return entries.every(({ userId }) => userId === entries[0]?.userId) ? "one" : "several";
}

function logSql(build: Build, groups: readonly (readonly [string, Entry[]])[], author: Author): string {
  build.urlKeyGiven = true;
  const selects = groups.map(([, [entry]], at) => (entry ? select(build, entry, at, author) : ""));
  return `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId",
      data, "updatedFrom", actor, "createdAt") ${selects.join(" union all ")} offset 0`;
}

function select(build: Build, { entity, action, event }: Entry, at: number, author: Author): string {
  const row = newRow(build, entity);
  const names = Object.keys(LISTS).filter((name) => name !== "users" || author === "several");
  const lists = names.map((name) => given(build, `${at}.${name}`, LISTS[name as keyof typeof LISTS][0]));
  const [team, data] = [teamOf(row), published(row)];
  return `select ${row.alias}."organizationId", v.numbers, '${entity.name}', '${action}', '${event}', v.ids, ${team}, ${data},
      v.befores, ${actorSql(build, author)}, v.moments from unnest(${lists.join(", ")}) v (${names.join(", ")})
    join "${entity.table}" ${row.alias} on ${inTenant(row)} and ${column(row, "id")} = v.ids${row.frame.joins.join("")}`;
}

/** SQL of an entity as the change log publishes it: its columns and the computed values declared for it. */
function published(row: SqlRow): string {
  const names = [...Object.keys(row.entity.columns), ...(row.entity.published ?? [])];
  return recordJson(
    names.map((name) => {
      const value = fieldValue(row, name);
      if (!value) throw new Error(`${row.entity.name} publishes ${name}, which it does not declare`);
      return [name, value] as const;
    }),
  );
}

/** SQL of the team a row belongs to, for webhooks scoped to a team. */
function teamOf(row: SqlRow): string {
  if (row.entity.teamOf) return row.entity.teamOf(row);
  return row.entity.columns.teamId ? column(row, "teamId") : "null::uuid";
}

/** Who made the change, as every stream shows it: of an agent also the person it acts for. */
const actorSql = (build: Build, author: Author): string =>
  author === "system"
    ? `'{"type":"system"}'::json`
    : `(select case when u.app
      then json_build_object('id', u.id, 'type', 'app', 'name', u.name, 'email', u.email, 'onBehalfOf',
        (select json_build_object('id', p.id, 'name', p.name) from "user" p
          where p."organizationId" = ${organization(build)} and p.id = u."onBehalfOfId"))
      else json_build_object('id', u.id, 'type', 'user', 'name', u.name, 'email', u.email) end from "user" u
    where u."organizationId" = ${organization(build)} and u.id = ${author === "one" ? given(build, "author", "uuid") : "v.users"})`;

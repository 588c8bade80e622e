import type { Statement } from "../../db/open.ts";
import { groupBy } from "../../formats/groups.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { type EntityModel, type SqlRow, type StatementBuild, tenantColumn } from "../read/entity.ts";
import { recordJsonSql } from "../read/json.ts";
import { preparedStatement } from "../read/prepared-statement.ts";
import { bindGiven, bindOrganization, columnSql, fieldSql, inOrganizationSql, newRow } from "../read/row.ts";
import type { Scope } from "../scope.ts";
import { noEnabledWebhookCheckSql } from "./derived/deliveries.ts";
import { findActorEntity } from "./group-commit/log-context.ts";
import type { OrganizationFacts } from "./group-commit/row-cache.ts";
import type { PendingChange } from "./write.ts";

/** A change with its number, time and author. */
export interface LoggedChange extends PendingChange {
  number: number;
  at: string;
  userId: string;
  /** The author as JSON, if known. */
  actor: string | undefined;
}

/**
 * Changes that one statement can write. All changes belong to one organization and either all have users as authors
 * or all are made by the server's own jobs.
 */
export interface PendingLog {
  scope: Scope;
  model: EntityModel;
  /** The organization's `urlKey`, which is part of every URL. */
  urlKey: string;
  /**
   * Cached facts about the organization. If the cache says that no webhook is enabled, the statement fails when a
   * webhook is enabled.
   */
  known: OrganizationFacts;
  entries: readonly LoggedChange[];
}

/** Parameters of the log statement: one list per column, for all changes of the same kind. */
const LISTS = {
  numbers: ["bigint[]", ({ number }: LoggedChange) => number],
  ids: ["uuid[]", ({ id }: LoggedChange) => id],
  befores: ["json[]", ({ updatedFrom }: LoggedChange) => (updatedFrom ? JSON.stringify(updatedFrom) : null)],
  users: ["uuid[]", ({ userId }: LoggedChange) => userId],
  moments: ["timestamptz[]", ({ at }: LoggedChange) => at],
  actors: ["json[]", ({ actor }: LoggedChange) => actor],
} as const;

/** Lists that are sent only for one type of author. */
const ONLY: Partial<Record<string, Author>> = { users: "several", actors: "known" };

/**
 * Returns the statement that writes changes to the log. The statement reads the rows in their new state. Raw SQL: the
 * read planner writes the JSON of the rows. The organization comes from a row, and the `urlKey` is a parameter, so
 * that on Citus the organization's node runs and commits the statement alone.
 */
export function buildChangeLogInsert({ scope, model, urlKey, known, entries }: PendingLog): Statement {
  const kinds = groupBy(entries, ({ entity, action, event }) => `${entity.name} ${action} ${event}`);
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

/**
 * Source of the JSON of the authors in the log statement: a constant for the server's own jobs (`system`), or parameters
 * (`known`). Otherwise the statement builds the JSON: once for a single author (`one`), or for each change (`several`).
 */
type Author = "system" | "known" | "one" | "several";

function authorOf({ system }: Scope, entries: readonly LoggedChange[]): Author {
  if (system) return "system";
  if (entries.every(({ actor }) => actor !== undefined)) return "known";
  return entries.every(({ userId }) => userId === entries[0]?.userId) ? "one" : "several";
}

type Kinds = readonly (readonly [string, PendingChange[]])[];

function logSql(
  build: StatementBuild,
  groups: Kinds,
  { author, unhooked }: { author: Author; unhooked: boolean },
): string {
  build.urlKeyGiven = true;
  const selects = groups.map(([, [entry]], at) => (entry ? select(build, entry, at, author) : ""));
  if (unhooked) selects[0] += ` where ${noEnabledWebhookCheckSql(build)}`;
  // OFFSET 0 is for Citus, which otherwise plans this insert once per shard. No test on a single node fails without
  // OFFSET 0.
  return `insert into change ("organizationId", "lastSyncId", type, action, event, "entityId", "teamId",
      data, "updatedFrom", actor, "createdAt") ${selects.join(" union all ")} offset 0`;
}

function select(build: StatementBuild, { entity, action, event }: PendingChange, at: number, author: Author): string {
  const row = newRow(build, entity);
  const own = Object.entries(LISTS).filter(([name]) => (getOwnProperty(ONLY, name) ?? author) === author);
  const names = own.map(([name]) => name);
  const lists = own.map(([name, [type]]) => bindGiven(build, `${at}.${name}`, type));
  const [team, data] = [teamOf(row), published(row)];
  return `select ${row.alias}."${tenantColumn(entity)}", v.numbers, '${entity.name}', '${action}', '${event}', v.ids, ${team}, ${data},
      v.befores, ${authorSql(build, author)}, v.moments from unnest(${lists.join(", ")}) v (${names.join(", ")})
    join "${entity.table}" ${row.alias} on ${inOrganizationSql(row)} and ${columnSql(row, "id")} = v.ids${row.frame.joins.join("")}`;
}

/** SQL for the published form of a row in the change log: its columns and its `published` computed values. */
function published(row: SqlRow): string {
  const { columns, computed = {} } = row.entity;
  return recordJsonSql([
    ...Object.entries(columns).map(([name, type]) => [name, { sql: columnSql(row, name), type }] as const),
    ...Object.entries(computed).flatMap(([name, { published, type, sql }]) =>
      published ? [[name, { sql: sql(row), type }] as const] : [],
    ),
  ]);
}

/** SQL for the team of a row. A webhook of a team receives only changes with the id of that team. */
const teamOf = (row: SqlRow): string => fieldSql(row, "teamId")?.sql ?? "null::uuid";

function authorSql(build: StatementBuild, author: Author): string {
  if (author === "system") return `'{"type":"system"}'::json`;
  if (author === "known") return "v.actors";
  return findActorEntity(build.model).actor(
    bindOrganization(build),
    author === "one" ? bindGiven(build, "author", "uuid") : "v.users",
  );
}

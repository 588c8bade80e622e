import { getOwnProperty } from "../../../formats/own.ts";
import type { Entity, SqlRow, ToMany, ToOne } from "../entity.ts";
import { buildLinkedRowsClauses } from "../link.ts";
import { bindOrganization, columnSql, findEntity, isReadableByCallerSql, newRow } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { isUuidShape } from "../shape.ts";
import { comparisonSql } from "./compare.ts";
import { combineConditions, combineWithAnd, plainCondition, type SqlCondition } from "./condition.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * Returns true if the SQL should find the linked rows first and then compare ids. Finding the linked rows first is
 * faster if the linked table is small compared with the linking tables. Returns false for a filter by id, which needs
 * no lookup, and for a filter with further links, which may lead to many rows.
 */
const findsFirst = ({ entity }: SqlRow, filter: unknown): boolean =>
  isShort(entity) &&
  Object.entries(filter as Part).every(([name, value]) => {
    if (name === "and" || name === "or")
      return (value as Part[]).every((part) => !("id" in part) && isOwn(entity, part));
    return name !== "id" && isOwn(entity, { [name]: value });
  });

const isShort = ({ tuning }: Entity): boolean => tuning?.few !== undefined;

/** Returns true if a filter uses only values of the row itself. */
const isOwn = (entity: Entity, filter: Part): boolean =>
  Object.entries(filter).every(([name, value]) =>
    name === "and" || name === "or"
      ? (value as Part[]).every((part) => isOwn(entity, part))
      : !getOwnProperty(entity.one, name) &&
        !getOwnProperty(entity.many, name) &&
        (Object.hasOwn(entity.columns, name) || !getOwnProperty(entity.filters, name)),
  );

/**
 * Returns the condition that a column contains the id of a row that satisfies the inner condition. Raw SQL: a fragment
 * for the read planner. The SQL first checks whether any row satisfies the inner condition, so that otherwise no outer
 * row is read.
 */
function oneOf(value: string, target: SqlRow, inside: string): SqlCondition {
  const ids = `select ${columnSql(target, "id")} from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${isReadableByCallerSql(target)} and ${inside}`;
  const possible = `cardinality(array(${ids})) > 0`;
  return { sql: `(${possible} and ${value} = any(array(${ids})))`, possible };
}

/** Filter condition on the linked row. */
type Inside = (target: SqlRow, argument: ArgumentPath) => SqlCondition;

/** Returns true if a filter or comparator contains no condition. */
export const isEmptyFilter = (value: unknown): boolean =>
  Object.values(value as Part).every((each) => each === undefined);

/**
 * Returns the functions that write filters of links. The filter of rows calls these functions and passes itself as
 * `inside`.
 */
export function linkFilters(inside: Inside) {
  return {
    one: (row: SqlRow, link: ToOne, argument: ArgumentPath) => toOne(inside, { row, link, argument }),
    many: (row: SqlRow, link: ToMany, argument: ArgumentPath) => toMany(inside, { row, link, argument }),
  };
}

/** A link of a row, and the filter that applies to the link. */
interface Asked<Link> {
  row: SqlRow;
  link: Link;
  argument: ArgumentPath;
}

/**
 * `and` and `or` combine conditions on the link, not only on the linked row, because a combined condition may test
 * whether the link is null.
 */
function toOne(inside: Inside, { row, link, argument }: Asked<ToOne>): SqlCondition {
  const { null: none, and, or, ...rest } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const each = (part: ArgumentPath) => toOne(inside, { row, link, argument: part });
  const conditions: SqlCondition[] = [];
  if (typeof none === "boolean") conditions.push(presence(inside, { row, link, argument: at("null", {}) }, none));
  if (!isEmptyFilter(rest)) conditions.push(linked(inside, { row, link, argument: { ...argument, value: rest } }));
  if (and) conditions.push(combineConditions(at("and", and), "and", each));
  if (or) conditions.push(combineConditions(at("or", or), "or", each));
  return combineWithAnd(conditions);
}

/** SQL condition: a link is null, or is not null. */
const presence = (inside: Inside, asked: Asked<ToOne>, none: boolean): SqlCondition =>
  asked.link.by
    ? plainCondition(`${columnSql(asked.row, asked.link.by)} is ${none ? "" : "not "}null`)
    : plainCondition(`${none ? "not " : ""}${linked(inside, asked).sql}`);

/** SQL condition: a link leads to a row that matches a filter. */
function linked(inside: Inside, { row, link, argument }: Asked<ToOne>): SqlCondition {
  const byId = linkedId(row, link, argument);
  if (byId) return plainCondition(byId);
  const target = newRow(row.build, findEntity(row.build, link.entity));
  const reached = link.by
    ? `${columnSql(target, "id")} = ${columnSql(row, link.by)}`
    : (link.where?.(target, row) ?? "true");
  const { sql } = inside(target, argument);
  if (link.by && findsFirst(target, argument.value)) return oneOf(columnSql(row, link.by), target, sql);
  return plainCondition(`exists (select 1 from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${isReadableByCallerSql(target)} and ${reached} and ${sql})`);
}

function toMany(inside: Inside, { row, link, argument }: Asked<ToMany>): SqlCondition {
  const { some, every, length, and, or, null: none, ...direct } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const rowsOf = (part: ArgumentPath, mode: Mode) => rows(inside, { row, link, argument: part }, mode);
  const each = (part: ArgumentPath) => toMany(inside, { row, link, argument: part });
  const conditions: SqlCondition[] = [];
  if (some) conditions.push(rowsOf(at("some", some), "exists"));
  if (every) conditions.push(rowsOf(at("every", every), "every"));
  if (!isEmptyFilter(direct)) conditions.push(rowsOf({ ...argument, value: direct }, "exists"));
  if (typeof none === "boolean") {
    conditions.push(plainCondition(`${none ? "not " : ""}${rowsOf(at("null", {}), "exists").sql}`));
  }
  if (length) {
    const count = { sql: rowsOf(at("length", {}), "count").sql, type: "integer" } as const;
    conditions.push(plainCondition(comparisonSql(row.build, count, at("length", length))));
  }
  if (and) conditions.push(combineConditions(at("and", and), "and", each));
  if (or) conditions.push(combineConditions(at("or", or), "or", each));
  return combineWithAnd(conditions);
}

const isTrue = (sql: string): boolean => /^\(*true\)*( and \(*true\)*)*$/.test(sql);

type Mode = "exists" | "every" | "count";

function rows(inside: Inside, { row, link, argument }: Asked<ToMany>, mode: Mode): SqlCondition {
  const target = newRow(row.build, findEntity(row.build, link.entity));
  const { sql } = inside(target, argument);
  // Without this check, the subquery would search for rows that do not match a condition that is always true. On Citus,
  // a subquery that can return no row has no node to run on.
  if (mode === "every" && isTrue(sql)) return plainCondition("true");
  const { through } = link;
  if (mode === "exists" && through && !link.where && findsFirst(target, argument.value)) {
    const alias = `l${target.alias}`;
    const found = oneOf(`${alias}."${through.to}"`, target, sql);
    return {
      ...found,
      sql: `exists (select 1 from "${through.table}" ${alias} where ${alias}."organizationId" = ${bindOrganization(row.build)}
      and ${alias}."${through.from}" = ${columnSql(row, "id")} and ${found.sql})`,
    };
  }
  const { from, where } = buildLinkedRowsClauses(target, row, link);
  const all = `from ${from}${target.frame.joins.join("")} where ${where}`;
  if (mode === "count") return plainCondition(`(select count(*) ${all})`);
  return plainCondition(
    mode === "every" ? `not exists (select 1 ${all} and (${sql}) is not true)` : `exists (select 1 ${all} and ${sql})`,
  );
}

/**
 * SQL for a filter that only compares the linked row's id with a single id. The SQL compares the column that contains
 * the id, so that an index that begins with the column still returns sorted rows; a lookup in the linked table would
 * lose the order. Returns undefined for any other filter.
 */
function linkedId(row: SqlRow, link: ToOne, argument: ArgumentPath): string | undefined {
  const id = only("id", argument.value);
  const eq = id && only("eq", id);
  if (!link.by || !isUuidShape(eq) || findEntity(row.build, link.entity).columns.id !== "uuid") return undefined;
  const sql = columnSql(row, link.by);
  // Binds the value in the same way as a value that may be a name, because the next request that uses this plan may
  // send an id or a name.
  const named = { ids: (list: string) => `${sql} = (${list})[1]`, text: () => "false" };
  return comparisonSql(
    row.build,
    { sql, type: "uuid" },
    { ...argument, path: [...argument.path, "id"], value: id },
    named,
  );
}

/** Returns the value of an object's member, if the object has no other member. */
function only(name: string, value: unknown): unknown {
  const given = Object.entries(Object(value)).filter(([, each]) => each !== undefined);
  return given.length === 1 && given[0]?.[0] === name ? given[0][1] : undefined;
}

import { readOwn } from "../../../formats/own.ts";
import type { Entity, SqlRow, ToMany, ToOne } from "../entity.ts";
import { reach } from "../link.ts";
import { column, entityOf, inTenant, newRow, organization } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { isUuidShape } from "../shape.ts";
import { comparison } from "./compare.ts";
import { allOf, type Condition, combined, plain } from "./condition.ts";

type Part = Readonly<Record<string, unknown>>;

/**
 * Tells whether the rows that a filter lets through are found first, and their ids compared then: of tables that are short beside
 * those which link to them. An id is there already, and what leads on to other tables may be much.
 */
const findsFirst = ({ entity }: SqlRow, filter: unknown): boolean =>
  isShort(entity) &&
  Object.entries(filter as Part).every(([name, value]) => {
    if (name === "and" || name === "or")
      return (value as Part[]).every((part) => !("id" in part) && isOwn(entity, part));
    return name !== "id" && isOwn(entity, { [name]: value });
  });

const isShort = ({ tuning }: Entity): boolean => tuning?.few !== undefined;

/** Tells whether a filter asks for nothing but values of the row itself. */
const isOwn = (entity: Entity, filter: Part): boolean =>
  Object.entries(filter).every(([name, value]) =>
    name === "and" || name === "or"
      ? (value as Part[]).every((part) => isOwn(entity, part))
      : !readOwn(entity.one, name) &&
        !readOwn(entity.many, name) &&
        (Object.hasOwn(entity.columns, name) || !readOwn(entity.filters, name)),
  );

/**
 * That a column has the id of one of the rows which satisfy a condition.
 * Raw SQL: a part of what the read planner writes. That there are none is seen before any row is read.
 */
function oneOf(value: string, target: SqlRow, inside: string): Condition {
  const ids = `select ${column(target, "id")} from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${inTenant(target)} and ${inside}`;
  const possible = `cardinality(array(${ids})) > 0`;
  return { sql: `(${possible} and ${value} = any(array(${ids})))`, possible };
}

/** The filter of the row that a link leads to. */
type Inside = (target: SqlRow, argument: ArgumentPath) => Condition;

/** Tells whether a filter or a comparator asks for nothing. */
export const isEmpty = (value: unknown): boolean => Object.values(value as Part).every((each) => each === undefined);

/** A filter of links, written by the filter of rows, which it is a part of. */
export function linkFilters(inside: Inside) {
  return {
    one: (row: SqlRow, link: ToOne, argument: ArgumentPath) => toOne(inside, { row, link, argument }),
    many: (row: SqlRow, link: ToMany, argument: ArgumentPath) => toMany(inside, { row, link, argument }),
  };
}

/** A link of a row, and what is asked of it. */
interface Asked<Link> {
  row: SqlRow;
  link: Link;
  argument: ArgumentPath;
}

/** `and` and `or` are about the link, since what they combine may ask whether it leads anywhere. */
function toOne(inside: Inside, { row, link, argument }: Asked<ToOne>): Condition {
  const { null: none, and, or, ...rest } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const each = (part: ArgumentPath) => toOne(inside, { row, link, argument: part });
  const conditions: Condition[] = [];
  if (typeof none === "boolean") conditions.push(presence(inside, { row, link, argument: at("null", {}) }, none));
  if (!isEmpty(rest)) conditions.push(linked(inside, { row, link, argument: { ...argument, value: rest } }));
  if (and) conditions.push(combined(at("and", and), "and", each));
  if (or) conditions.push(combined(at("or", or), "or", each));
  return allOf(conditions);
}

/** SQL of whether a link leads nowhere, or somewhere. */
const presence = (inside: Inside, asked: Asked<ToOne>, none: boolean): Condition =>
  asked.link.by
    ? plain(`${column(asked.row, asked.link.by)} is ${none ? "" : "not "}null`)
    : plain(`${none ? "not " : ""}${linked(inside, asked).sql}`);

/** SQL of whether a link leads to a row that a filter lets through. */
function linked(inside: Inside, { row, link, argument }: Asked<ToOne>): Condition {
  const byId = linkedId(row, link, argument);
  if (byId) return plain(byId);
  const target = newRow(row.build, entityOf(row.build, link.entity));
  const reached = link.by ? `${column(target, "id")} = ${column(row, link.by)}` : (link.where?.(target, row) ?? "true");
  const { sql } = inside(target, argument);
  if (link.by && findsFirst(target, argument.value)) return oneOf(column(row, link.by), target, sql);
  return plain(`exists (select 1 from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${inTenant(target)} and ${reached} and ${sql})`);
}

function toMany(inside: Inside, { row, link, argument }: Asked<ToMany>): Condition {
  const { some, every, length, and, or, null: none, ...direct } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const rowsOf = (part: ArgumentPath, mode: Mode) => rows(inside, { row, link, argument: part }, mode);
  const each = (part: ArgumentPath) => toMany(inside, { row, link, argument: part });
  const conditions: Condition[] = [];
  if (some) conditions.push(rowsOf(at("some", some), "exists"));
  if (every) conditions.push(rowsOf(at("every", every), "every"));
  if (!isEmpty(direct)) conditions.push(rowsOf({ ...argument, value: direct }, "exists"));
  if (typeof none === "boolean") {
    conditions.push(plain(`${none ? "not " : ""}${rowsOf(at("null", {}), "exists").sql}`));
  }
  if (length) {
    const count = { sql: rowsOf(at("length", {}), "count").sql, type: "integer" } as const;
    conditions.push(plain(comparison(row.build, count, at("length", length))));
  }
  if (and) conditions.push(combined(at("and", and), "and", each));
  if (or) conditions.push(combined(at("or", or), "or", each));
  return allOf(conditions);
}

const isTrue = (sql: string): boolean => /^\(*true\)*( and \(*true\)*)*$/.test(sql);

type Mode = "exists" | "every" | "count";

function rows(inside: Inside, { row, link, argument }: Asked<ToMany>, mode: Mode): Condition {
  const target = newRow(row.build, entityOf(row.build, link.entity));
  const { sql } = inside(target, argument);
  // All rows are what nothing is asked of. A subquery that no row can come out of has no node to run on.
  if (mode === "every" && isTrue(sql)) return plain("true");
  const { through } = link;
  if (mode === "exists" && through && !link.where && findsFirst(target, argument.value)) {
    const alias = `l${target.alias}`;
    const found = oneOf(`${alias}."${through.to}"`, target, sql);
    return {
      ...found,
      sql: `exists (select 1 from "${through.table}" ${alias} where ${alias}."organizationId" = ${organization(row.build)}
      and ${alias}."${through.from}" = ${column(row, "id")} and ${found.sql})`,
    };
  }
  const { from, where } = reach(target, row, link);
  const all = `from ${from}${target.frame.joins.join("")} where ${where}`;
  if (mode === "count") return plain(`(select count(*) ${all})`);
  return plain(
    mode === "every" ? `not exists (select 1 ${all} and (${sql}) is not true)` : `exists (select 1 ${all} and ${sql})`,
  );
}

/**
 * SQL of a filter that asks of a link only that it leads to the row of one id: the column that holds the id says so. Then an
 * index that begins with the column keeps its order, which no look into the other table would. Undefined for any other.
 */
function linkedId(row: SqlRow, link: ToOne, argument: ArgumentPath): string | undefined {
  const id = only("id", argument.value);
  const eq = id && only("eq", id);
  if (!link.by || !isUuidShape(eq) || entityOf(row.build, link.entity).columns.id !== "uuid") return undefined;
  const sql = column(row, link.by);
  // As a name is bound, since it may be an id or a name in the next request.
  const named = { ids: (list: string) => `${sql} = (${list})[1]`, text: () => "false" };
  return comparison(
    row.build,
    { sql, type: "uuid" },
    { ...argument, path: [...argument.path, "id"], value: id },
    named,
  );
}

/** The value that an object has under a name, if it has nothing else. */
function only(name: string, value: unknown): unknown {
  const given = Object.entries(Object(value)).filter(([, each]) => each !== undefined);
  return given.length === 1 && given[0]?.[0] === name ? given[0][1] : undefined;
}

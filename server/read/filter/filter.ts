import { inputError } from "../../errors.ts";
import type { SqlRow, ToMany, ToOne } from "../entity.ts";
import { reach } from "../link.ts";
import { column, entityOf, fieldValue, inTenant, newRow, organization } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { combined, comparison, type Named } from "./compare.ts";
import { findsFirst, oneOf, type Part } from "./found-first.ts";
import { impliedByText } from "./texts.ts";

/**
 * SQL of a filter over a row: every condition given holds; `and`, `or` and links nest.
 * @throws inputError for a field that cannot be filtered by.
 */
export function filterSql(row: SqlRow, argument: ArgumentPath): string {
  const conditions = Object.entries(argument.value as Part)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => conditionSql(row, name, { ...argument, path: [...argument.path, name], value }));
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

function conditionSql(row: SqlRow, name: string, argument: ArgumentPath): string {
  if (name === "and" || name === "or") return combined(argument, name, (part) => filterSql(row, part));
  const declared = row.entity.filters?.[name];
  if (declared) return declared(row, argument);
  const one = row.entity.one?.[name];
  if (one) return toOneSql(row, one, argument);
  const many = row.entity.many?.[name];
  if (many) return toManySql(row, many, argument);
  // No comparison is made, so that parameters which the value's SQL binds would stand nowhere in the statement.
  if (isEmpty(argument.value)) return "true";
  const value = fieldValue(row, name);
  if (!value) throw inputError(`cannot filter ${row.entity.name} by ${name}`, argument.path.join("."));
  const compared = comparison(row.build, value, argument, name === "id" ? namesOf(row) : undefined);
  return [compared, ...impliedByText(row, name, argument)].join(" and ");
}

const isEmpty = (value: unknown): boolean =>
  Object.values(value as Part).every((each) => each === undefined || each === null);

/** An id may also be given by a name, such as the identifier of an issue. */
function namesOf(row: SqlRow): Named | undefined {
  const { reference } = row.entity;
  return reference && { ids: (list) => `${column(row, "id")} = any(${list})`, text: (text) => reference(row, text) };
}

/** `and` and `or` are about the link, since what they combine may ask whether it leads anywhere. */
function toOneSql(row: SqlRow, link: ToOne, argument: ArgumentPath): string {
  const { null: none, and, or, ...rest } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const conditions: string[] = [];
  if (typeof none === "boolean") conditions.push(presence(row, link, at("null", {}), none));
  if (!isEmpty(rest)) conditions.push(linkedSql(row, link, { ...argument, value: rest }));
  if (and) conditions.push(combined(at("and", and), "and", (part) => toOneSql(row, link, part)));
  if (or) conditions.push(combined(at("or", or), "or", (part) => toOneSql(row, link, part)));
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

/** Whether a link leads nowhere, or somewhere. */
const presence = (row: SqlRow, link: ToOne, anything: ArgumentPath, none: boolean): string =>
  link.by
    ? `${column(row, link.by)} is ${none ? "" : "not "}null`
    : `${none ? "not " : ""}${linkedSql(row, link, anything)}`;

/** Whether a link leads to a row that a filter lets through. Raw SQL: a part of what the read planner writes. */
function linkedSql(row: SqlRow, link: ToOne, argument: ArgumentPath): string {
  const target = newRow(row.build, entityOf(row.build, link.entity));
  const reached = link.by ? `${column(target, "id")} = ${column(row, link.by)}` : (link.where?.(target, row) ?? "true");
  const inside = filterSql(target, argument);
  if (link.by && findsFirst(target, argument.value)) {
    return oneOf(
      column(row, link.by),
      `select ${column(target, "id")} from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
      where ${inTenant(target)} and ${inside}`,
    );
  }
  return `exists (select 1 from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
    where ${inTenant(target)} and ${reached} and ${inside})`;
}

function toManySql(row: SqlRow, link: ToMany, argument: ArgumentPath): string {
  const { some, every, length, and, or, null: none, ...direct } = argument.value as Part;
  const at = (name: string, value: unknown): ArgumentPath => ({ ...argument, path: [...argument.path, name], value });
  const conditions: string[] = [];
  if (some) conditions.push(rowsSql(row, link, at("some", some), "exists"));
  if (every) conditions.push(rowsSql(row, link, at("every", every), "every"));
  if (Object.values(direct).some((value) => value !== undefined && value !== null)) {
    conditions.push(rowsSql(row, link, { ...argument, value: direct }, "exists"));
  }
  if (typeof none === "boolean")
    conditions.push(`${none ? "not " : ""}${rowsSql(row, link, at("null", {}), "exists")}`);
  if (length) {
    const count = { sql: rowsSql(row, link, at("length", {}), "count"), type: "integer" } as const;
    conditions.push(comparison(row.build, count, at("length", length)));
  }
  if (and) conditions.push(combined(at("and", and), "and", (part) => toManySql(row, link, part)));
  if (or) conditions.push(combined(at("or", or), "or", (part) => toManySql(row, link, part)));
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

function rowsSql(row: SqlRow, link: ToMany, argument: ArgumentPath, mode: "exists" | "every" | "count"): string {
  const target = newRow(row.build, entityOf(row.build, link.entity));
  const inside = filterSql(target, argument);
  const { through } = link;
  if (mode === "exists" && through && !link.where && findsFirst(target, argument.value)) {
    const ids = `select ${column(target, "id")} from "${target.entity.table}" ${target.alias}${target.frame.joins.join("")}
      where ${inTenant(target)} and ${inside}`;
    const { alias } = target;
    return `exists (select 1 from "${through.table}" l${alias} where l${alias}."organizationId" = ${organization(row.build)}
      and l${alias}."${through.from}" = ${column(row, "id")} and ${oneOf(`l${alias}."${through.to}"`, ids)})`;
  }
  const { from, where } = reach(target, row, link);
  const rows = `from ${from}${target.frame.joins.join("")} where ${where}`;
  if (mode === "count") return `(select count(*) ${rows})`;
  return mode === "every"
    ? `not exists (select 1 ${rows} and (${inside}) is not true)`
    : `exists (select 1 ${rows} and ${inside})`;
}

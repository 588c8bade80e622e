import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { Entity, SqlRow, ValueType } from "../entity.ts";
import { columnSql, fieldSql } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { type CanonicalValueKind, comparisonSql, type NameMatchSql } from "./compare.ts";
import { combineConditions, combineWithAnd, plainCondition, type SqlCondition } from "./condition.ts";
import { impliedConditions } from "./implied.ts";
import { validateFilter } from "./limits.ts";
import { isEmptyFilter, linkFilters } from "./links.ts";

/**
 * Returns SQL for a filter of rows. A row matches if all conditions of the filter hold. `and`, `or` and links can be
 * nested.
 * @throws inputError for a field that cannot be filtered, for a null, or for a filter that causes too much work.
 */
export function filterSql(row: SqlRow, argument: ArgumentPath): string {
  validateFilter(argument.value, argument.path);
  return filterCondition(row, argument).sql;
}

function filterCondition(row: SqlRow, argument: ArgumentPath): SqlCondition {
  return combineWithAnd(
    Object.entries(argument.value as Readonly<Record<string, unknown>>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => conditionOf(row, name, { ...argument, path: [...argument.path, name], value })),
  );
}

const links = linkFilters(filterCondition);

function conditionOf(row: SqlRow, name: string, argument: ArgumentPath): SqlCondition {
  if (name === "and" || name === "or") return combineConditions(argument, name, (part) => filterCondition(row, part));
  const declared = getOwnProperty(row.entity.filters, name);
  if (declared) return plainCondition(declared(row, argument));
  const one = getOwnProperty(row.entity.one, name);
  if (one) return links.one(row, one, argument);
  const many = getOwnProperty(row.entity.many, name);
  if (many) return links.many(row, many, argument);
  // An empty comparator compares nothing. Without this check, the SQL of the value would bind parameters that the
  // statement never uses.
  if (isEmptyFilter(argument.value)) return plainCondition("true");
  const found = fieldSql(row, name);
  if (!found) throw inputError(`cannot filter ${row.entity.name} by ${name}`, argument.path.join("."));
  const value = { ...found, canonical: canonicalOf(row.entity, name, found.type) };
  const compared = comparisonSql(row.build, value, argument, name === "id" ? namesOf(row) : undefined);
  return plainCondition([compared, ...impliedConditions(row, name, argument)].join(" and "));
}

/** Texts are compared in their canonical form, except for columns that the entity declares as `exact`. */
function canonicalOf({ columns, exact }: Entity, name: string, type: ValueType): CanonicalValueKind | undefined {
  if (type !== "text" || exact?.includes(name)) return undefined;
  return getOwnProperty(columns, name) ? "column" : "computed";
}

/**
 * Returns how a filter finds rows by id or by another name of a row, such as the identifier of an issue. Undefined if
 * rows of the entity have no other name.
 */
function namesOf(row: SqlRow): NameMatchSql | undefined {
  const { reference } = row.entity;
  return reference && { ids: (list) => `${columnSql(row, "id")} = any(${list})`, text: (text) => reference(row, text) };
}

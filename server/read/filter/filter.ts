import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { Entity, SqlRow, ValueType } from "../entity.ts";
import { column, fieldSql } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { type Canonical, comparisonSql, type NamedMatch } from "./compare.ts";
import { type Condition, combineAll, combineConditions, plainCondition } from "./condition.ts";
import { impliedConditions } from "./implied.ts";
import { checkFilter } from "./limits.ts";
import { isEmpty, linkFilters } from "./links.ts";

/**
 * SQL for a filter over a row: all given conditions hold. `and`, `or` and links can be nested.
 * @throws inputError for a field that cannot be filtered, for a null, or for too much work.
 */
export function filterSql(row: SqlRow, argument: ArgumentPath): string {
  checkFilter(argument.value, argument.path);
  return filterCondition(row, argument).sql;
}

function filterCondition(row: SqlRow, argument: ArgumentPath): Condition {
  return combineAll(
    Object.entries(argument.value as Readonly<Record<string, unknown>>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => conditionOf(row, name, { ...argument, path: [...argument.path, name], value })),
  );
}

const links = linkFilters(filterCondition);

function conditionOf(row: SqlRow, name: string, argument: ArgumentPath): Condition {
  if (name === "and" || name === "or") return combineConditions(argument, name, (part) => filterCondition(row, part));
  const declared = readOwn(row.entity.filters, name);
  if (declared) return plainCondition(declared(row, argument));
  const one = readOwn(row.entity.one, name);
  if (one) return links.one(row, one, argument);
  const many = readOwn(row.entity.many, name);
  if (many) return links.many(row, many, argument);
  // An empty comparator compares nothing. Without this check, the SQL of the value would bind parameters that the
  // statement never uses.
  if (isEmpty(argument.value)) return plainCondition("true");
  const found = fieldSql(row, name);
  if (!found) throw inputError(`cannot filter ${row.entity.name} by ${name}`, argument.path.join("."));
  const value = { ...found, canonical: canonicalOf(row.entity, name, found.type) };
  const compared = comparisonSql(row.build, value, argument, name === "id" ? namesOf(row) : undefined);
  return plainCondition([compared, ...impliedConditions(row, name, argument)].join(" and "));
}

/** Texts are compared in their canonical form, except for columns that the entity declares as `exact`. */
function canonicalOf({ columns, exact }: Entity, name: string, type: ValueType): Canonical | undefined {
  if (type !== "text" || exact?.includes(name)) return undefined;
  return readOwn(columns, name) ? "column" : "computed";
}

/** Filters also accept another name instead of an id, such as the identifier of an issue. */
function namesOf(row: SqlRow): NamedMatch | undefined {
  const { reference } = row.entity;
  return reference && { ids: (list) => `${column(row, "id")} = any(${list})`, text: (text) => reference(row, text) };
}

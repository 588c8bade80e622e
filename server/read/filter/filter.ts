import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { SqlRow } from "../entity.ts";
import { column, fieldValue } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { comparison, type Named } from "./compare.ts";
import { allOf, type Condition, combined, plain } from "./condition.ts";
import { implied } from "./implied.ts";
import { checkFilter } from "./limits.ts";
import { isEmpty, linkFilters } from "./links.ts";

/**
 * SQL of a filter over a row: every condition given holds; `and`, `or` and links nest.
 * @throws inputError for a field that cannot be filtered by, a null, or too much work.
 */
export function filterSql(row: SqlRow, argument: ArgumentPath): string {
  checkFilter(argument.value, argument.path);
  return filterCondition(row, argument).sql;
}

function filterCondition(row: SqlRow, argument: ArgumentPath): Condition {
  return allOf(
    Object.entries(argument.value as Readonly<Record<string, unknown>>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => conditionOf(row, name, { ...argument, path: [...argument.path, name], value })),
  );
}

const links = linkFilters(filterCondition);

function conditionOf(row: SqlRow, name: string, argument: ArgumentPath): Condition {
  if (name === "and" || name === "or") return combined(argument, name, (part) => filterCondition(row, part));
  const declared = readOwn(row.entity.filters, name);
  if (declared) return plain(declared(row, argument));
  const one = readOwn(row.entity.one, name);
  if (one) return links.one(row, one, argument);
  const many = readOwn(row.entity.many, name);
  if (many) return links.many(row, many, argument);
  // No comparison is made, so that parameters which the value's SQL binds would stand nowhere in the statement.
  if (isEmpty(argument.value)) return plain("true");
  const value = fieldValue(row, name);
  if (!value) throw inputError(`cannot filter ${row.entity.name} by ${name}`, argument.path.join("."));
  const compared = comparison(row.build, value, argument, name === "id" ? namesOf(row) : undefined);
  return plain([compared, ...implied(row, name, argument)].join(" and "));
}

/** An id may also be given by a name, such as the identifier of an issue. */
function namesOf(row: SqlRow): Named | undefined {
  const { reference } = row.entity;
  return reference && { ids: (list) => `${column(row, "id")} = any(${list})`, text: (text) => reference(row, text) };
}

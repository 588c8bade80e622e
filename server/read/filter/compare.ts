import { buildNfcConditionSql, buildNfcSql } from "../../../db/text/canonical.ts";
import { toCanonicalText } from "../../../formats/names.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import { MAX_UUID } from "../../id.ts";
import type { StatementBuild, StatementInputs, ValueType } from "../entity.ts";
import { parameterCast } from "../json.ts";
import { bindParameter } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { isUuidShape } from "../shape.ts";
import { combineConditions, plainCondition } from "./condition.ts";

interface Value {
  sql: string;
  type: ValueType;
  /**
   * Set for texts whose comparison ignores the Unicode normal form. `column` means an indexable column, `computed` a
   * value that is computed at each use. If absent, the SQL compares bytes, as for identities and for words of a closed
   * list.
   */
  canonical?: CanonicalValueKind | undefined;
}

/** Kind of value that SQL compares regardless of its Unicode normal form: a column, or a computed value. */
export type CanonicalValueKind = "column" | "computed";

/** SQL conditions for a match by id or by name. */
export interface NameMatchSql {
  ids(list: string): string;
  text(operand: string): string;
}

/**
 * Returns the SQL condition that a value satisfies all comparisons of a comparator. `named` replaces equality for
 * values with several names, such as an issue, which has an id and an identifier.
 * @throws inputError for a value that cannot be compared with the comparator.
 */
export function comparisonSql(
  build: StatementBuild,
  value: Value,
  argument: ArgumentPath,
  named?: NameMatchSql,
): string {
  const conditions = Object.entries(argument.value as Readonly<Record<string, unknown>>)
    .filter(([, operand]) => operand !== undefined)
    .map(([name, operand]) => {
      const at = { ...argument, path: [...argument.path, name], value: operand };
      if (name === "null") return `${value.sql} is ${operand ? "" : "not "}null`;
      if (name === "and" || name === "or") {
        return combineConditions(at, name, (part) => plainCondition(comparisonSql(build, value, part, named))).sql;
      }
      return named ? namedSql(build, at, named, name) : compared(build, value, at, name);
    });
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

function compared(
  build: StatementBuild,
  { sql, type, canonical }: Value,
  argument: ArgumentPath,
  name: string,
): string {
  const comparator = getOwnProperty(COMPARATORS, name);
  if (!comparator || type === "json" || type === "text[]")
    throw inputError(`cannot compare with ${name}`, argument.path.join("."));
  const list = Array.isArray(argument.value);
  const operand = (found: unknown) => {
    const given = canonical ? toCanonicalText(String(found)) : found;
    return toOperand(comparator.pattern ? comparator.pattern(String(given)) : given, type, name);
  };
  // The plan cache retains getters. A getter therefore closes over the path to the value, not over the value, which
  // may be long.
  const { argumentIndex, path } = argument;
  const key = canonical ? `${keyOf(argument)}.canonical` : keyOf(argument);
  const bound = bindParameter(build, key, parameterCast(type) + (list ? "[]" : ""), ({ args }) => {
    const found = at(args[argumentIndex], path);
    return list ? (found as unknown[]).map(operand) : operand(found);
  });
  if (canonical === "computed") return comparator.sql(`normalize(${sql}, NFC)`, bound);
  if (canonical === "column" && comparator.indexed)
    return buildNfcConditionSql(sql, (value) => comparator.sql(value, bound));
  return comparator.sql(canonical ? buildNfcSql(sql) : sql, bound);
}

/**
 * SQL for eq, neq, in and nin on a value with several names: one comparison for all ids, and one for each other name.
 */
function namedSql(build: StatementBuild, argument: ArgumentPath, named: NameMatchSql, name: string): string {
  const { argumentIndex, path } = argument;
  const list = Array.isArray(argument.value);
  const members = (value: unknown) => (list ? (value as unknown[]) : [value]);
  const isId = members(argument.value).map(isUuidShape);
  const valuesOf = ({ args }: StatementInputs) => members(at(args[argumentIndex], path)).map(String);
  const any = isId.flatMap((id, index) => {
    if (id) return [];
    const key = `${keyOf(argument)}.${index}`;
    return named.text(bindParameter(build, key, "text", (inputs) => toOperand(valuesOf(inputs)[index], "text", name)));
  });
  if (isId.includes(true)) {
    any.push(
      named.ids(
        bindParameter(build, keyOf(argument), "uuid[]", (inputs) => valuesOf(inputs).filter((_, i) => isId[i])),
      ),
    );
  }
  const matches = any.length > 0 ? `(${any.join(" or ")})` : "false";
  return name === "eq" || name === "in" ? matches : `(${matches}) is not true`;
}

const keyOf = (argument: ArgumentPath): string => `${argument.argumentIndex}.${argument.path.join(".")}`;

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => getOwnProperty(part as Record<string, unknown>, name), value);

function toOperand(value: unknown, type: ValueType, comparator: string): unknown {
  // If the text is not a UUID, the comparison uses an id that no row has. The text is therefore unequal to every id.
  if (type === "uuid") return isUuid(String(value)) ? value : MAX_UUID;
  if (type === "integer") return toInteger(Number(value), comparator);
  return value;
}

/**
 * Returns an integer that compares in the same way as a fraction. PostgreSQL would not use the index for a fraction.
 */
function toInteger(value: number, comparator: string): number {
  if (!Number.isSafeInteger(Math.trunc(value))) return Math.sign(value) * Number.MAX_SAFE_INTEGER;
  if (comparator === "lt" || comparator === "gte") return Math.ceil(value);
  if (comparator === "gt" || comparator === "lte") return Math.floor(value);
  return Number.isInteger(value) ? value : Number.MAX_SAFE_INTEGER;
}

interface Comparator {
  sql(value: string, operand: string): string;
  /**
   * True if a row satisfies the comparator only when the row's value equals an operand. An index can then find the
   * rows.
   */
  indexed?: true;
  /** Converts a text operand into a LIKE pattern. */
  pattern?(text: string): string;
}

const like = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const within = (text: string) => `%${like(text)}%`;

/** Comparators by their names in filters, except `null`, `and` and `or`. */
export const COMPARATORS: Record<string, Comparator> = {
  eq: { sql: (value, operand) => `${value} = ${operand}`, indexed: true },
  neq: { sql: (value, operand) => `${value} is distinct from ${operand}` },
  in: { sql: (value, operand) => `${value} = any(${operand})`, indexed: true },
  nin: { sql: (value, operand) => `(${value} is null or ${value} <> all(${operand}))` },
  lt: { sql: (value, operand) => `${value} < ${operand}` },
  lte: { sql: (value, operand) => `${value} <= ${operand}` },
  gt: { sql: (value, operand) => `${value} > ${operand}` },
  gte: { sql: (value, operand) => `${value} >= ${operand}` },
  eqIgnoreCase: { sql: (value, operand) => `lower(${value}) = lower(${operand})` },
  neqIgnoreCase: { sql: (value, operand) => `lower(${value}) is distinct from lower(${operand})` },
  contains: { sql: (value, operand) => `${value} like ${operand}`, pattern: within },
  notContains: { sql: (value, operand) => `(${value} like ${operand}) is not true`, pattern: within },
  containsIgnoreCase: { sql: (value, operand) => `${value} ilike ${operand}`, pattern: within },
  notContainsIgnoreCase: { sql: (value, operand) => `(${value} ilike ${operand}) is not true`, pattern: within },
  startsWith: { sql: (value, operand) => `${value} like ${operand}`, pattern: (text) => `${like(text)}%` },
  startsWithIgnoreCase: { sql: (value, operand) => `${value} ilike ${operand}`, pattern: (text) => `${like(text)}%` },
  notStartsWith: {
    sql: (value, operand) => `(${value} like ${operand}) is not true`,
    pattern: (text) => `${like(text)}%`,
  },
  endsWith: { sql: (value, operand) => `${value} like ${operand}`, pattern: (text) => `%${like(text)}` },
  notEndsWith: {
    sql: (value, operand) => `(${value} like ${operand}) is not true`,
    pattern: (text) => `%${like(text)}`,
  },
};

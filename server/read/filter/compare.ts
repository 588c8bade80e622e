import { readOwn } from "../../../formats/own.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { inputError } from "../../errors.ts";
import { EVERY_ID } from "../../id.ts";
import type { Build, Inputs, ValueType } from "../entity.ts";
import { castOf } from "../json.ts";
import { bind } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { isUuidShape } from "../shape.ts";
import { combined, plain } from "./condition.ts";

interface Value {
  sql: string;
  type: ValueType;
}

/** Conditions that a thing has one of these ids, or is named by a text. */
export interface Named {
  ids(list: string): string;
  text(operand: string): string;
}

/**
 * SQL of a comparator object over a value: every comparison given holds. `named` replaces equality where a value can be
 * named in more than one way (the identifier of an issue for its id).
 * @throws inputError for a value that cannot be compared that way.
 */
export function comparison(build: Build, value: Value, argument: ArgumentPath, named?: Named): string {
  const conditions = Object.entries(argument.value as Readonly<Record<string, unknown>>)
    .filter(([, operand]) => operand !== undefined)
    .map(([name, operand]) => {
      const at = { ...argument, path: [...argument.path, name], value: operand };
      if (name === "null") return `${value.sql} is ${operand ? "" : "not "}null`;
      if (name === "and" || name === "or") {
        return combined(at, name, (part) => plain(comparison(build, value, part, named))).sql;
      }
      return named ? namedSql(build, at, named, name) : compared(build, value, at, name);
    });
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

function compared(build: Build, { sql, type }: Value, argument: ArgumentPath, name: string): string {
  const comparator = readOwn(COMPARATORS, name);
  if (!comparator || type === "json" || type === "text[]")
    throw inputError(`cannot compare with ${name}`, argument.path.join("."));
  const list = Array.isArray(argument.value);
  const operand = (found: unknown) =>
    toOperand(comparator.pattern ? comparator.pattern(String(found)) : found, type, name);
  // The plan cache keeps getters: they close over the path to the value and not over the value, which may be long.
  const { argumentIndex, path } = argument;
  return comparator.sql(
    sql,
    bind(build, keyOf(argument), castOf(type) + (list ? "[]" : ""), ({ args }) => {
      const found = at(args[argumentIndex], path);
      return list ? (found as unknown[]).map(operand) : operand(found);
    }),
  );
}

/** eq, neq, in and nin over something with several names: ids together, every other name on its own. */
function namedSql(build: Build, argument: ArgumentPath, named: Named, name: string): string {
  const { argumentIndex, path } = argument;
  const list = Array.isArray(argument.value);
  const members = (value: unknown) => (list ? (value as unknown[]) : [value]);
  const isId = members(argument.value).map(isUuidShape);
  const valuesOf = ({ args }: Inputs) => members(at(args[argumentIndex], path)).map(String);
  const any = isId.flatMap((id, index) => {
    if (id) return [];
    const key = `${keyOf(argument)}.${index}`;
    return named.text(bind(build, key, "text", (inputs) => toOperand(valuesOf(inputs)[index], "text", name)));
  });
  if (isId.includes(true)) {
    any.push(named.ids(bind(build, keyOf(argument), "uuid[]", (inputs) => valuesOf(inputs).filter((_, i) => isId[i]))));
  }
  const matches = any.length > 0 ? `(${any.join(" or ")})` : "false";
  return name === "eq" || name === "in" ? matches : `(${matches}) is not true`;
}

const keyOf = (argument: ArgumentPath): string => `${argument.argumentIndex}.${argument.path.join(".")}`;

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => readOwn(part as Record<string, unknown>, name), value);

/** An operand as a parameter. */
function toOperand(value: unknown, type: ValueType, comparator: string): unknown {
  // No row has this id: a text that is no UUID is unequal to every id.
  if (type === "uuid") return isUuid(String(value)) ? value : EVERY_ID;
  if (type === "integer") return toInteger(Number(value), comparator);
  return value;
}

/** The integer that integers compare with in the same way: with a fraction PostgreSQL would not use the index. */
function toInteger(value: number, comparator: string): number {
  if (!Number.isSafeInteger(Math.trunc(value))) return Math.sign(value) * Number.MAX_SAFE_INTEGER;
  if (comparator === "lt" || comparator === "gte") return Math.ceil(value);
  if (comparator === "gt" || comparator === "lte") return Math.floor(value);
  return Number.isInteger(value) ? value : Number.MAX_SAFE_INTEGER;
}

/** SQL of one comparison. */
interface Comparator {
  sql(value: string, operand: string): string;
  /** Turns a text operand into a LIKE pattern. */
  pattern?(text: string): string;
}

const like = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const within = (text: string) => `%${like(text)}%`;

/** Every comparator by its name in filters; `null`, `and` and `or` are none. */
export const COMPARATORS: Record<string, Comparator> = {
  eq: { sql: (value, operand) => `${value} = ${operand}` },
  neq: { sql: (value, operand) => `${value} is distinct from ${operand}` },
  in: { sql: (value, operand) => `${value} = any(${operand})` },
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

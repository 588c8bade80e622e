import { inputError } from "../errors.ts";
import type { ValueType } from "./entity.ts";
import { isUuid } from "./id.ts";
import { castOf } from "./json.ts";
import { type Build, bind } from "./row.ts";

/** A filter, or a part of one, with the place it stands at in the arguments. */
export interface Place {
  slot: number;
  path: readonly string[];
  value: unknown;
}

interface Value {
  sql: string;
  type: ValueType;
}

interface Comparator {
  sql(value: string, operand: string): string;
  /** Turns a text operand into a LIKE pattern. */
  pattern?(text: string): string;
}

const like = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const within = (text: string) => `%${like(text)}%`;

const COMPARATORS: Record<string, Comparator> = {
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

/** Most members of an `in` or `nin` (decisions §3). */
const MAX_IN = 250;

/**
 * SQL of a comparator object over a value: every comparison given holds. `matches` replaces equality where a
 * value can be named in more than one way (the identifier of an issue for its id).
 * @throws inputError for a value that cannot be compared that way.
 */
export function comparison(build: Build, value: Value, place: Place, matches?: (operand: string) => string): string {
  const comparator = place.value as Readonly<Record<string, unknown>>;
  const conditions = Object.entries(comparator)
    .filter(([, operand]) => operand !== undefined && operand !== null)
    .map(([name, operand]) => {
      const at = { ...place, path: [...place.path, name], value: operand };
      if (name === "null") return `${value.sql} is ${operand ? "" : "not "}null`;
      if (name === "and" || name === "or") {
        const parts = (operand as unknown[]).map((part, index) =>
          comparison(build, value, { ...at, path: [...at.path, String(index)], value: part }),
        );
        return `(${parts.join(` ${name} `) || name === "and"})`;
      }
      return matches ? named(build, at, matches, name) : compared(build, value, at, name);
    });
  return conditions.length > 0 ? `(${conditions.join(" and ")})` : "true";
}

function compared(build: Build, { sql, type }: Value, place: Place, name: string): string {
  const comparator = COMPARATORS[name];
  if (!comparator || type === "json" || type === "text[]")
    throw inputError(`cannot compare with ${name}`, place.path.join("."));
  const key = `${place.slot}.${place.path.join(".")}`;
  const list = Array.isArray(place.value);
  if (list) checkLength(place);
  const operand = (found: unknown) => toOperand(comparator.pattern ? comparator.pattern(String(found)) : found, type);
  return comparator.sql(
    sql,
    bind(build, key, castOf(type) + (list ? "[]" : ""), ({ args }) => {
      const found = at(args[place.slot], place.path);
      return list ? (found as unknown[]).map(operand) : operand(found);
    }),
  );
}

/** eq, neq, in and nin over something with several names: each member is matched on its own. */
function named(build: Build, place: Place, matches: (operand: string) => string, name: string): string {
  const members = Array.isArray(place.value) ? place.value : [place.value];
  if (members.length > MAX_IN) checkLength(place);
  const each = members.map((_, index) => {
    const path = Array.isArray(place.value) ? [...place.path, String(index)] : place.path;
    const key = `${place.slot}.${path.join(".")}`;
    return matches(bind(build, key, "text", ({ args }) => toOperand(at(args[place.slot], path), "text")));
  });
  const any = each.length > 0 ? `(${each.join(" or ")})` : "false";
  return name === "eq" || name === "in" ? any : `not coalesce(${any}, false)`;
}

function checkLength(place: Place): void {
  const { length } = place.value as unknown[];
  if (length > MAX_IN) throw inputError(`${place.path.join(".")} takes at most ${MAX_IN} values`, place.path.join("."));
}

/** An operand as a parameter; an id that is none matches nothing, and U+0000 is in no stored text. */
function toOperand(value: unknown, type: ValueType): unknown {
  if (type === "uuid") return isUuid(String(value)) ? value : null;
  return typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => (part as Record<string, unknown>)?.[name], value);

import { listSpellings } from "../../../formats/names.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import type { SqlRow } from "../../read/entity.ts";
import { bindParameter } from "../../read/row.ts";
import type { ArgumentPath } from "../../read/selection.ts";

interface KeyFilter {
  key: string;
  eq?: unknown;
  neq?: unknown;
  in?: readonly unknown[] | null;
  exists?: boolean | null;
}

/** SQL condition on the value of one top-level key of a JSON column. `jsonb` is SQL for the column as jsonb. */
export function jsonKeyConditionSql(jsonb: string, { build }: SqlRow, argument: ArgumentPath): string {
  const at = `${argument.argumentIndex}.${argument.path.join(".")}`;
  const given = (args: readonly Readonly<Record<string, unknown>>[]) =>
    filterAt(args[argument.argumentIndex], argument.path);
  const { eq, neq, in: any, exists } = argument.value as KeyFilter;
  const key = bindParameter(build, `${at}.key`, "text", ({ args }) => given(args).key.replaceAll("\0", "\uFFFD"));
  const value = `(${jsonb} -> ${key})`;
  const bound = (name: string, values: (filter: KeyFilter) => readonly unknown[]) =>
    bindParameter(build, `${at}.${name}`, "jsonb[]", ({ args }) => values(given(args)).map(storable));
  const conditions: string[] = [];
  if (isGiven(eq)) {
    const whole = bound("eq.whole", (filter) => spelled(filter.eq).map((each) => ({ [filter.key]: each })));
    conditions.push(
      holds(`${jsonb} @> any(${whole})`, `${value} = any(${bound("eq", (filter) => spelled(filter.eq))})`),
    );
  }
  if (isGiven(neq)) conditions.push(`(${value} = any(${bound("neq", (filter) => spelled(filter.neq))})) is not true`);
  if (isGiven(any)) conditions.push(`${value} = any(${bound("in", (filter) => (filter.in ?? []).flatMap(spelled))})`);
  if (isGiven(exists)) conditions.push(`${value} is ${exists ? "not " : ""}null`);
  if (conditions.length === 0)
    throw inputError("give a condition for the key: eq, neq, in or exists", argument.path.join("."));
  return `(${conditions.join(" and ")})`;
}

/** Returns a value in all spellings, because texts that differ only in their Unicode normal form count as equal. */
const spelled = (value: unknown): unknown[] => (typeof value === "string" ? listSpellings(value) : [value]);

/**
 * SQL condition: a key has a value. `contains` uses an index and has statistics. `equals`, the exact comparison, is
 * inside a CASE, because PostgreSQL has no statistics for this comparison and would assume that almost no row matches.
 */
const holds = (contains: string, equals: string): string =>
  `${contains} and case when ${equals} then true else false end`;

const filterAt = (value: unknown, path: readonly string[]): KeyFilter => valueAt(value, path) as KeyFilter;

/** Returns the value of an argument at a path. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => getOwnProperty(part as Record<string, unknown>, name), value);

/** Returns a value as JSON text that jsonb accepts. U+FFFD replaces U+0000 and lone surrogates, as in ingestion. */
const storable = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (spelled) =>
    spelled.length > 2 ? "\uFFFD" : spelled,
  );

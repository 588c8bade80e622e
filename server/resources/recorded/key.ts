import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import type { SqlRow } from "../../read/entity.ts";
import { bind } from "../../read/row.ts";
import type { ArgumentPath } from "../../read/selection.ts";

interface KeyFilter {
  key: string;
  eq?: unknown;
  neq?: unknown;
  in?: readonly unknown[] | null;
  exists?: boolean | null;
}

/** SQL of conditions on the value of one top-level key of a JSON column, given as SQL of jsonb. */
export function keyCondition(jsonb: string, { build }: SqlRow, argument: ArgumentPath): string {
  const at = `${argument.argumentIndex}.${argument.path.join(".")}`;
  const given = (args: readonly Readonly<Record<string, unknown>>[]) =>
    filterAt(args[argument.argumentIndex], argument.path);
  const { eq, neq, in: any, exists } = argument.value as KeyFilter;
  const key = bind(build, `${at}.key`, "text", ({ args }) => given(args).key.replaceAll("\0", "\uFFFD"));
  const value = `(${jsonb} -> ${key})`;
  const bound = (name: "eq" | "neq" | "in") =>
    bind(build, `${at}.${name}`, "jsonb", ({ args }) => storable(given(args)[name]));
  const conditions: string[] = [];
  if (isGiven(eq)) conditions.push(holds(jsonb, key, bound("eq")));
  if (isGiven(neq)) conditions.push(`${value} is distinct from ${bound("neq")}`);
  if (isGiven(any)) conditions.push(`${value} in (select jsonb_array_elements(${bound("in")}))`);
  if (isGiven(exists)) conditions.push(`${value} is ${exists ? "not " : ""}null`);
  if (conditions.length === 0)
    throw inputError("say what holds for the key: eq, neq, in or exists", argument.path.join("."));
  return `(${conditions.join(" and ")})`;
}

/**
 * SQL of whether a key has a value. The index finds documents that contain it, and knows how many do: the comparison
 * itself, of which nothing is known, would be taken for one that hardly any pass, so it stands in a CASE.
 */
const holds = (jsonb: string, key: string, value: string): string =>
  `${jsonb} @> jsonb_build_object(${key}, ${value}) and case when ${jsonb} -> ${key} = ${value} then true else false end`;

const filterAt = (value: unknown, path: readonly string[]): KeyFilter => valueAt(value, path) as KeyFilter;

/** The value of an argument at a path. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => readOwn(part as Record<string, unknown>, name), value);

/** A value as JSON text that jsonb takes: as ingestion does, U+FFFD stands for U+0000 and lone surrogates. */
const storable = (value: unknown): string =>
  JSON.stringify(value).replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (spelled) =>
    spelled.length > 2 ? "\uFFFD" : spelled,
  );

import { readOwn } from "../../../formats/own.ts";
import type { Derivation, Entity, SqlRow } from "../entity.ts";
import { bind, column, organization, tableOf } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { COMPARATORS, comparison } from "./compare.ts";

/** SQL of what follows from a comparison of a value, and by which an index finds the rows. Empty where nothing follows. */
export const implied = (row: SqlRow, name: string, argument: ArgumentPath): string[] => [
  ...impliedByText(row, name, argument),
  ...impliedByUpdate(row, name, argument),
];

/**
 * A row that was updated before a moment was created before it. The list then begins there: by chance of its order it would read
 * everything that is newer.
 */
function impliedByUpdate(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  if (name !== "updatedAt" || !row.entity.tuning?.updatedLast) return [];
  const given = argument.value as Readonly<Record<string, unknown>>;
  const before = ["lt", "lte"].filter((each) => readOwn(given, each) !== undefined);
  if (before.length === 0) return [];
  const value = Object.fromEntries(before.map((each) => [each, readOwn(given, each)]));
  return [comparison(row.build, { sql: column(row, "createdAt"), type: "timestamp" }, { ...argument, value })];
}

/** Texts that the index has parts of. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const EVERYTHING = "%";

/** The texts that a value is part of. */
export const textsWith = ({ tuning }: Entity, name: string): Derivation | undefined =>
  tuning?.derives?.find(({ searched }) => searched?.includes(name));

/**
 * SQL of what follows from a comparison of a value that is part of the row's indexed text: the text has the same part. With
 * it the index finds the rows. Empty where nothing follows.
 */
function impliedByText(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  const texts = textsWith(row.entity, name);
  if (!texts) return [];
  const given = argument.value as Readonly<Record<string, unknown>>;
  return ["contains", "containsIgnoreCase"].flatMap((comparator) => {
    if (readOwn(given, comparator) === undefined) return [];
    const { argumentIndex, path } = argument;
    const key = `${argumentIndex}.${path.join(".")}.${comparator}.text`;
    const pattern = bind(row.build, key, "text", ({ args }) => {
      const text = valueAt(args[argumentIndex], [...path, comparator]);
      return INDEXABLE.test(String(text)) ? COMPARATORS["contains"]?.pattern?.(String(text)) : EVERYTHING;
    });
    return [
      `${column(row, "id")} in (select x.id from ${tableOf(row.build, texts.table)} x
        where x."organizationId" = ${organization(row.build)} and x.text ilike ${pattern})`,
    ];
  });
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, step) => readOwn(part as Record<string, unknown> | undefined, step), value);

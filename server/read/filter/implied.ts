import { toCanonicalText } from "../../../formats/names.ts";
import { readOwn } from "../../../formats/own.ts";
import type { Derivation, Entity, Inputs, SqlRow } from "../entity.ts";
import { bind, column, organization, readTable } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { COMPARATORS, comparisonSql } from "./compare.ts";

/** SQL for conditions that follow from a comparison and that an index can use. Empty if nothing follows. */
export const impliedConditions = (row: SqlRow, name: string, argument: ArgumentPath): string[] => [
  ...impliedByText(row, name, argument),
  ...impliedByUpdate(row, name, argument),
];

/**
 * A row updated before a time was also created before that time. With this condition the list scan starts there,
 * instead of reading all newer rows in the order of `createdAt`.
 */
function impliedByUpdate(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  if (name !== "updatedAt" || !row.entity.tuning?.updatedLast) return [];
  const given = argument.value as Readonly<Record<string, unknown>>;
  const before = ["lt", "lte"].filter((each) => readOwn(given, each) !== undefined);
  if (before.length === 0) return [];
  const value = Object.fromEntries(before.map((each) => [each, readOwn(given, each)]));
  return [comparisonSql(row.build, { sql: column(row, "createdAt"), type: "timestamp" }, { ...argument, value })];
}

/** Texts that the trigram index can find. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const EVERYTHING = "%";

/** Returns the derivation whose indexed text contains a field's value. */
export const findTextDerivation = ({ tuning }: Entity, name: string): Derivation | undefined =>
  tuning?.derives?.find(({ searched }) => searched?.includes(name));

/**
 * SQL for the condition that follows from a comparison with a part of the row's indexed text: the indexed text
 * contains the same part. The index finds rows by this condition. Empty if nothing follows.
 */
function impliedByText(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  const texts = findTextDerivation(row.entity, name);
  if (!texts) return [];
  const operands = argument.value as Readonly<Record<string, unknown>>;
  return ["contains", "containsIgnoreCase"].flatMap((comparator) => {
    if (readOwn(operands, comparator) === undefined) return [];
    const { argumentIndex, path } = argument;
    const key = `${argumentIndex}.${path.join(".")}.${comparator}.text`;
    const patternOf = (text: string) => (INDEXABLE.test(text) ? COMPARATORS["contains"]?.pattern?.(text) : EVERYTHING);
    const given = (args: Inputs["args"]) => String(valueAt(args[argumentIndex], [...path, comparator]));
    const pattern = bind(row.build, key, "text", ({ args }) => patternOf(toCanonicalText(given(args))));
    // Release 0.2.0 may have indexed a text only in the stored form, not in the canonical form.
    const asGiven = bind(row.build, `${key}.given`, "text", ({ args }) => {
      const text = given(args);
      return toCanonicalText(text) === text ? null : patternOf(text);
    });
    return [
      `${column(row, "id")} in (select x.id from ${readTable(row.build, texts.table)} x
        where x."organizationId" = ${organization(row.build)} and (x.text ilike ${pattern} or x.text ilike ${asGiven}))`,
    ];
  });
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, step) => readOwn(part as Record<string, unknown> | undefined, step), value);

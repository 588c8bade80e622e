import { toCanonicalText } from "../../../formats/names.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Derivation, Entity, SqlRow, StatementInputs } from "../entity.ts";
import { bindOrganization, bindParameter, columnSql, readTableSql } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { COMPARATORS, comparisonSql } from "./compare.ts";

/** SQL for conditions that follow from a comparison and that an index can use. Empty if nothing follows. */
export const impliedConditions = (row: SqlRow, name: string, argument: ArgumentPath): string[] => [
  ...impliedByText(row, name, argument),
  ...impliedByUpdate(row, name, argument),
];

/**
 * A row that was updated before a time was also created before that time. This additional condition on `createdAt` lets
 * a list scan start at that time, instead of reading all newer rows first.
 */
function impliedByUpdate(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  if (name !== "updatedAt" || !row.entity.tuning?.updatedLast) return [];
  const given = argument.value as Readonly<Record<string, unknown>>;
  const before = ["lt", "lte"].filter((each) => getOwnProperty(given, each) !== undefined);
  if (before.length === 0) return [];
  const value = Object.fromEntries(before.map((each) => [each, getOwnProperty(given, each)]));
  return [comparisonSql(row.build, { sql: columnSql(row, "createdAt"), type: "timestamp" }, { ...argument, value })];
}

/** Matches texts that the trigram index can find: texts with three letters or digits in a row. */
const INDEXABLE = /[\p{L}\p{N}]{3}/u;
const EVERYTHING = "%";

/** Returns the derivation whose indexed text contains a field's value. */
export const findTextDerivation = ({ tuning }: Entity, name: string): Derivation | undefined =>
  tuning?.derives?.find(({ searched }) => searched?.includes(name));

/**
 * SQL for a condition that follows from a `contains` comparison: the row's indexed text must contain the same text. The
 * index finds rows by this condition. Returns an empty array if nothing follows.
 */
function impliedByText(row: SqlRow, name: string, argument: ArgumentPath): string[] {
  const texts = findTextDerivation(row.entity, name);
  if (!texts) return [];
  const operands = argument.value as Readonly<Record<string, unknown>>;
  return ["contains", "containsIgnoreCase"].flatMap((comparator) => {
    if (getOwnProperty(operands, comparator) === undefined) return [];
    const { argumentIndex, path } = argument;
    const key = `${argumentIndex}.${path.join(".")}.${comparator}.text`;
    const patternOf = (text: string) => (INDEXABLE.test(text) ? COMPARATORS["contains"]?.pattern?.(text) : EVERYTHING);
    const given = (args: StatementInputs["args"]) => String(valueAt(args[argumentIndex], [...path, comparator]));
    const pattern = bindParameter(row.build, key, "text", ({ args }) => patternOf(toCanonicalText(given(args))));
    // Release 0.2.0 may have indexed a text only in the stored form, not in the canonical form.
    const asGiven = bindParameter(row.build, `${key}.given`, "text", ({ args }) => {
      const text = given(args);
      return toCanonicalText(text) === text ? null : patternOf(text);
    });
    return [
      `${columnSql(row, "id")} in (select x.id from ${readTableSql(row.build, texts.table)} x
        where x."organizationId" = ${bindOrganization(row.build)} and (x.text ilike ${pattern} or x.text ilike ${asGiven}))`,
    ];
  });
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, step) => getOwnProperty(part as Record<string, unknown> | undefined, step), value);

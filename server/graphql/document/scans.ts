import { getNamedType, isObjectType } from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { Entity, StatementInputs } from "../../read/entity.ts";
import { findTextDerivation } from "../../read/filter/implied.ts";
import { countComparisons } from "../../read/filter/limits.ts";
import { isEmptyFilter } from "../../read/filter/links.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import { entityModel, rootValues } from "../../resources/index.ts";
import { combinedSchema } from "../schema.ts";

/**
 * Maximum number of long-text comparisons per request. PostgreSQL 15 takes about 6 ms per row for a case-insensitive
 * search of 256 KiB, and a filter that no row matches reads all rows.
 */
const MAX_SCANS = 20;

type Args = StatementInputs["args"];

/**
 * Counts a field's comparisons of long texts, and work of similar cost. Each operand in the field's filter counts if
 * its entity declares the compared value as `long`, `scanned` or `searched`. For other arguments, such as the words of
 * a search, the field itself declares the number in `scans`.
 */
export function countLongTextScans(selection: Selection, args: Args): number {
  const given = selectedArguments(selection, args);
  const own = getOwnProperty(rootValues, selection.field)?.scans?.(given) ?? 0;
  return own + filterScans(selection, args) + everyIn(given["filter"]);
}

/**
 * Counts `every` conditions. Each condition reads all links of the organization, which takes as long as a comparison of
 * long texts.
 */
function everyIn(filter: unknown): number {
  if (typeof filter !== "object" || filter === null) return 0;
  return Object.entries(filter).reduce((sum, [name, value]) => {
    const asked = name === "every" && typeof value === "object" && value !== null && !isEmptyFilter(value);
    return sum + (asked ? 1 : 0) + everyIn(value);
  }, 0);
}

function filterScans(selection: Selection, args: Args): number {
  const { filter } = selectedArguments(selection, args);
  return filter ? scansIn(filter, entityOf(selection)) : 0;
}

/** Returns an error if the filters or the search terms of a request compare long texts too often. */
export function findLongTextScanError(selections: readonly Selection[], args: Args) {
  if (!args.some(({ filter, term, text }) => [filter, term, text].some((each) => each !== undefined))) return undefined;
  const filters = sumOf(selections, (each) => filterScans(each, args));
  const searches = sumOf(selections, ({ field, argumentIndex }) => {
    const value = getOwnProperty(rootValues, field);
    return value?.searches ? (value.scans?.(args[argumentIndex] ?? {}) ?? 0) : 0;
  });
  const scans = Math.ceil(filters + searches);
  if (scans <= MAX_SCANS) return undefined;
  const message = `the request compares long texts (such as descriptions, comments, args and results) ${scans} times, and one may do so ${MAX_SCANS} times`;
  const given = selections.some((each) => selectedArguments(each, args)["term"] !== undefined) ? "term" : "text";
  const field = filters > 0 ? "filter" : given;
  return inputError(`${message}; give ${field} fewer of them, or send several requests`, field);
}

const sumOf = (selections: readonly Selection[], of: (each: Selection) => number): number =>
  selections.reduce((sum, each) => sum + of(each) + sumOf(each.children, of), 0);

/**
 * Fields that accept a filter but do not return a page of the filtered entity: the filtered entity, by the return type
 * of the field.
 */
const FILTERED: Readonly<Record<string, string>> = {
  IssueGroups: "Issue",
  RecordedSearch: "RecordedSession",
  RecordedSessionHistogram: "RecordedSession",
};

function entityOf({ type }: Selection): Entity | undefined {
  const filtered = getOwnProperty(FILTERED, type);
  if (filtered) return entityModel.get(filtered);
  const connection = combinedSchema.getType(type);
  const nodes = isObjectType(connection) ? connection.getFields()["nodes"] : undefined;
  return nodes && entityModel.get(getNamedType(nodes.type).name);
}

/**
 * Counts the comparisons of long texts in a filter. The conditions inside `and`, `or`, `some` and `every` apply to the
 * same entity; the conditions inside a link apply to another entity.
 */
function scansIn(filter: unknown, entity: Entity | undefined): number {
  if (Array.isArray(filter)) return filter.reduce((sum: number, each) => sum + scansIn(each, entity), 0);
  if (!entity || typeof filter !== "object" || filter === null) return 0;
  return Object.entries(filter).reduce((sum, [name, value]) => {
    const weight = getOwnProperty(entity.tuning?.scanned, name) ?? (getOwnProperty(entity.tuning?.long, name) ? 1 : 0);
    if (weight > 0) return sum + weight * comparisonsIn(value);
    const link = getOwnProperty(entity.one, name) ?? getOwnProperty(entity.many, name);
    const within = ["and", "or", "some", "every"].includes(name) ? entity : link && entityModel.get(link.entity);
    return sum + (findTextDerivation(entity, name) ? indexedIn(value) : scansIn(value, within));
  }, 0);
}

/**
 * Counts comparisons with a value that has a text index. Only `contains` and `containsIgnoreCase` count: the index
 * finds texts that contain all parts of a word, and PostgreSQL then reads these texts.
 */
const indexedIn = (comparator: unknown): number => {
  const { contains, containsIgnoreCase } = (comparator ?? {}) as Readonly<Record<string, unknown>>;
  return comparisonsIn({ contains, containsIgnoreCase });
};

/**
 * Counts each operand as a comparison. `key` only selects the JSON value, and `null` does not read the value, so
 * neither counts.
 */
function comparisonsIn(comparator: unknown): number {
  if (comparator === null || comparator === undefined) return 0;
  if (Array.isArray(comparator)) return comparator.reduce((sum: number, each) => sum + comparisonsIn(each), 0);
  if (typeof comparator !== "object") return countComparisons(comparator);
  const compared = Object.entries(comparator).filter(([name]) => name !== "null" && name !== "key");
  return compared.reduce((sum, [, value]) => sum + comparisonsIn(value), 0);
}

import { getNamedType, isObjectType } from "graphql";
import { readOwn } from "../../../formats/own.ts";
import { inputError } from "../../errors.ts";
import type { Entity, Inputs } from "../../read/entity.ts";
import { textsWith } from "../../read/filter/implied.ts";
import { comparisonsOf } from "../../read/filter/limits.ts";
import { isEmpty } from "../../read/filter/links.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model, rootValues } from "../../resources/index.ts";
import { schema } from "../schema.ts";

/**
 * The number of comparisons of long texts that one request may ask for. To search 256 KiB in any case takes PostgreSQL
 * 15 some 6 ms a row, and a filter that nothing passes reads all rows.
 */
const MAX_SCANS = 20;

type Args = Inputs["args"];

/**
 * Counts a field's comparisons of long texts, or of as much work. Each operand counts in the conditions of its filter,
 * for a value that its entities declare as `long`, `scanned` or part of `texts`. Other arguments count as the field
 * declares (`scans`), such as the words of a search.
 */
export function scansOf(selection: Selection, args: Args): number {
  const given = argsOf(selection, args);
  const own = readOwn(rootValues, selection.field)?.scans?.(given) ?? 0;
  return own + filterScans(selection, args) + everyIn(given["filter"]);
}

/** Conditions of a filter on every row of a link. Each reads all links of the organization, which takes as long as a comparison of long texts. */
function everyIn(filter: unknown): number {
  if (typeof filter !== "object" || filter === null) return 0;
  return Object.entries(filter).reduce((sum, [name, value]) => {
    const asked = name === "every" && typeof value === "object" && value !== null && !isEmpty(value);
    return sum + (asked ? 1 : 0) + everyIn(value);
  }, 0);
}

function filterScans(selection: Selection, args: Args): number {
  const { filter } = argsOf(selection, args);
  return filter ? scansIn(filter, entityOf(selection)) : 0;
}

/** Why a request is refused that has long texts compared too often: by its filters, or by the words of its searches. */
export function tooManyScans(selections: readonly Selection[], args: Args) {
  if (!args.some(({ filter, term, text }) => [filter, term, text].some((each) => each !== undefined))) return undefined;
  const filters = sumOf(selections, (each) => filterScans(each, args));
  const searches = sumOf(selections, ({ field, argumentIndex }) => {
    const value = readOwn(rootValues, field);
    return value?.searches ? (value.scans?.(args[argumentIndex] ?? {}) ?? 0) : 0;
  });
  const scans = Math.ceil(filters + searches);
  if (scans <= MAX_SCANS) return undefined;
  const message = `the request compares long texts (such as descriptions, comments, args and results) ${scans} times, and one may do so ${MAX_SCANS} times`;
  const given = selections.some((each) => argsOf(each, args)["term"] !== undefined) ? "term" : "text";
  const field = filters > 0 ? "filter" : given;
  return inputError(`${message}; give ${field} fewer of them, or send several requests`, field);
}

const sumOf = (selections: readonly Selection[], of: (each: Selection) => number): number =>
  selections.reduce((sum, each) => sum + of(each) + sumOf(each.children, of), 0);

/** The entity that a filter is about, by the type of a field that is no page of it. */
const FILTERED: Readonly<Record<string, string>> = {
  IssueGroups: "Issue",
  RecordedSearch: "RecordedSession",
  RecordedSessionHistogram: "RecordedSession",
};

function entityOf({ type }: Selection): Entity | undefined {
  const filtered = readOwn(FILTERED, type);
  if (filtered) return model.get(filtered);
  const connection = schema.getType(type);
  const nodes = isObjectType(connection) ? connection.getFields()["nodes"] : undefined;
  return nodes && model.get(getNamedType(nodes.type).name);
}

/** `and`, `or`, `some` and `every` are about the same entity; links lead to another one. */
function scansIn(filter: unknown, entity: Entity | undefined): number {
  if (Array.isArray(filter)) return filter.reduce((sum: number, each) => sum + scansIn(each, entity), 0);
  if (!entity || typeof filter !== "object" || filter === null) return 0;
  return Object.entries(filter).reduce((sum, [name, value]) => {
    const weight = readOwn(entity.tuning?.scanned, name) ?? (readOwn(entity.tuning?.long, name) ? 1 : 0);
    if (weight > 0) return sum + weight * comparisonsIn(value);
    const link = readOwn(entity.one, name) ?? readOwn(entity.many, name);
    const within = ["and", "or", "some", "every"].includes(name) ? entity : link && model.get(link.entity);
    return sum + (textsWith(entity, name) ? indexedIn(value) : scansIn(value, within));
  }, 0);
}

/** Comparisons of a short value that the index of texts answers: it finds texts that have all parts of a word, which then are read. */
const indexedIn = (comparator: unknown): number => {
  const { contains, containsIgnoreCase } = (comparator ?? {}) as Readonly<Record<string, unknown>>;
  return comparisonsIn({ contains, containsIgnoreCase });
};

/** Each operand is one comparison, but for `key`, which only chooses the JSON value, and `null`, which does not read it. */
function comparisonsIn(comparator: unknown): number {
  if (comparator === null || comparator === undefined) return 0;
  if (Array.isArray(comparator)) return comparator.reduce((sum: number, each) => sum + comparisonsIn(each), 0);
  if (typeof comparator !== "object") return comparisonsOf(comparator);
  const compared = Object.entries(comparator).filter(([name]) => name !== "null" && name !== "key");
  return compared.reduce((sum, [, value]) => sum + comparisonsIn(value), 0);
}

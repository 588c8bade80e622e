import { getNamedType, isObjectType } from "graphql";
import { inputError } from "../../errors.ts";
import type { Entity, Inputs } from "../../read/entity.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model } from "../../resources/index.ts";
import { schema } from "../schema.ts";

/**
 * How often one request may have long texts compared. To look for a word in 256 KiB in any case takes PostgreSQL 15 some
 * 6 ms, for every row it looks at, and a filter that nothing passes looks at all of them.
 */
export const MAX_SCANS = 20;

type Args = Inputs["args"];

/** How often the filter of a connection has long values compared: those its entities declare as `long`. */
export function scansOf(selection: Selection, args: Args): number {
  const { filter } = argsOf(selection, args);
  return filter ? scansIn(filter, entityOf(selection)) : 0;
}

/** Why a request is refused that has long texts compared too often: by its filters, or by the words of its searches. */
export function tooManyScans(selections: readonly Selection[], args: Args) {
  if (!args.some(({ filter, term, text }) => [filter, term, text].some((each) => each !== undefined))) return undefined;
  const scans = allScans(selections, args);
  if (scans <= MAX_SCANS) return undefined;
  const message = `the request compares long texts (such as descriptions, comments, args and results) ${scans} times, and one may do so ${MAX_SCANS} times`;
  const given = selections.some((each) => argsOf(each, args)["term"] !== undefined) ? "term" : "text";
  const field = filterScans(selections, args) > 0 ? "filter" : given;
  return inputError(`${message}; give ${field} fewer of them, or send several requests`, field);
}

const allScans = (selections: readonly Selection[], args: Args): number =>
  selections.reduce((sum, each) => sum + scansOf(each, args) + wordsOf(each, args) + allScans(each.children, args), 0);

const filterScans = (selections: readonly Selection[], args: Args): number =>
  selections.reduce((sum, each) => sum + scansOf(each, args) + filterScans(each.children, args), 0);

/** Each word of a search is looked for in the long texts; a search of recorded events reads many of them, one of a session some. */
const wordsOf = (selection: Selection, args: Args): number => {
  if (selection.field === "recordedSearch") return MAX_SCANS / 2;
  const { term, text } = argsOf(selection, args);
  if (selection.field === "recordedOutline") return typeof text === "string" ? MAX_SCANS / 4 : 0;
  return typeof term === "string" ? term.split(/\s+/).filter(Boolean).length : 0;
};

function entityOf({ type }: Selection): Entity | undefined {
  if (type === "RecordedSearch" || type === "RecordedSessionHistogram") return model.get("RecordedSession");
  const connection = schema.getType(type);
  const nodes = isObjectType(connection) ? connection.getFields()["nodes"] : undefined;
  return nodes && model.get(getNamedType(nodes.type).name);
}

/** `and`, `or`, `some` and `every` are about the same entity; links lead to another one. */
function scansIn(filter: unknown, entity: Entity | undefined): number {
  if (Array.isArray(filter)) return filter.reduce((sum: number, each) => sum + scansIn(each, entity), 0);
  if (!entity || typeof filter !== "object" || filter === null) return 0;
  return Object.entries(filter).reduce((sum, [name, value]) => {
    if (entity.long?.[name] || entity.scanned?.includes(name)) return sum + comparisonsIn(value);
    const link = entity.one?.[name] ?? entity.many?.[name];
    const within = ["and", "or", "some", "every"].includes(name) ? entity : link && model.get(link.entity);
    return sum + scansIn(value, within);
  }, 0);
}

/** Each operand is one comparison, but for `key`, which only chooses the JSON value, and `null`, which does not read it. */
function comparisonsIn(comparator: unknown): number {
  if (comparator === null || comparator === undefined) return 0;
  if (Array.isArray(comparator)) return comparator.reduce((sum: number, each) => sum + comparisonsIn(each), 0);
  if (typeof comparator !== "object") return 1;
  const compared = Object.entries(comparator).filter(([name]) => name !== "null" && name !== "key");
  return compared.reduce((sum, [, value]) => sum + comparisonsIn(value), 0);
}

import { getOwnProperty } from "../../../formats/own.ts";
import { limitPageSize } from "../../read/connection/page.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import { entityModel, rootToManyLinks, rootValues } from "../../resources/index.ts";
import { countLongTextScans } from "./scans.ts";

/** Maximum points per operation. */
export const MAX_POINTS = 10_000;

/** Points are counted in tenths, because sums of tenths as integers are exact. */
const SCALAR = 1;
const OBJECT = 10;
/** Tenths of a point for a comparison of a long text, which may run for every row, or for work of similar cost. */
const SCAN = 1_000;

type Args = Parameters<typeof selectedArguments>[1];

/**
 * Returns the points of an operation before the operation runs: 0.1 per scalar and 1 per object. The cost of a list
 * entry is multiplied by the maximum number of entries: `first` or `last`, or 50 for a page by default. The total is
 * rounded up. A field that is always null or empty costs as much as a scalar, whatever is selected below the field.
 * Connections and `__typename` cost nothing. Each comparison of a long text with a word costs 100 points.
 */
export const countPoints = (selections: readonly Selection[], args: Args): number =>
  Math.ceil(tenths(selections, args, ROOT) / 10);

const tenths = (selections: readonly Selection[], args: Args, parent: Parent): number =>
  selections.reduce((sum, selection) => sum + tenthsOf(selection, args, parent), 0);

function tenthsOf(selection: Selection, args: Args, parent: Parent): number {
  const { field, children, connection, constant, variants } = selection;
  if (children.length === 0) return field === "__typename" ? 0 : SCALAR;
  if (constant === "null" || constant === "[]") return SCALAR;
  if (variants) return entriesOf(selection, args, parent) * dearestOf(children, args);
  const scans = Math.round(SCAN * countLongTextScans(selection, args));
  if (connection) return scans + pageTenths(selection, args, parent);
  return scans + entriesOf(selection, args, parent) * (OBJECT + tenths(children, args, below(selection, args)));
}

/** Returns the cost, in tenths of a point, of the most expensive of the possible types. */
const dearestOf = (variants: readonly Selection[], args: Args): number =>
  Math.max(...variants.map((each) => tenthsOf(each, args, ROOT)));

/** Returns the cost, in tenths of a point, of the fields below a connection. */
function pageTenths(selection: Selection, args: Args, parent: Parent): number {
  const size = entriesOf(selection, args, parent);
  return selection.children.reduce((sum, child) => sum + memberTenths(child, args, size), 0);
}

/**
 * Returns the cost, in tenths of a point, of a field directly below a connection. The fields below `nodes` and `edges`
 * count once per entry.
 */
function memberTenths(child: Selection, args: Args, size: number): number {
  if (!ENTRIES.has(child.field) || child.children.length === 0) return tenthsOf(child, args, ROOT);
  if (child.constant === "[]") return SCALAR;
  return size * (OBJECT + tenths(child.children, args, below(child, args)));
}

const ENTRIES = new Set(["nodes", "edges"]);

const below = (selection: Selection, args: Args): Parent => ({
  type: selection.type,
  args: selectedArguments(selection, args),
});

/** Suggests how to reduce an operation to at most `most` points. */
export function suggestCheaper(selections: readonly Selection[], args: Args, most: number): string {
  const dearest = dearestPage(selections, args, ROOT);
  const rest = tenths(selections, args, ROOT) - (dearest?.tenths ?? 0);
  const size = dearest && Math.floor((dearest.size * (most * 10 - rest)) / dearest.tenths);
  return size && size >= 1
    ? `ask ${dearest.key} for first: ${size}, or select less`
    : "select less, or ask for smaller pages";
}

/** Returns the most expensive of the outermost pages. */
function dearestPage(
  selections: readonly Selection[],
  args: Args,
  parent: Parent,
): { key: string; size: number; tenths: number } | undefined {
  const pages = selections.flatMap((selection) => {
    if (!selection.connection) return dearestPage(selection.children, args, below(selection, args)) ?? [];
    const size = entriesOf(selection, args, parent);
    return { key: selection.key, size, tenths: pageTenths(selection, args, parent) };
  });
  return pages.sort((one, other) => other.tenths - one.tenths)[0];
}

type Values = Readonly<Record<string, unknown>>;

/** Assumed entries of a list without pages and without a declared maximum. */
const UNPAGED = 50;

/** The parent of a field: its type, and the arguments of the parent field. */
interface Parent {
  type: string;
  args: Values;
}

/** The parent of root fields. */
const ROOT: Parent = { type: "", args: {} };

/**
 * Returns the number of entries by which the cost of a list is multiplied: the requested number, or the declared
 * maximum if lower.
 */
function entriesOf(selection: Selection, args: readonly Values[], parent: Parent): number {
  if (selection.constant !== undefined) return 1;
  const most = mostOf(selection.field, parent);
  if (selection.connection)
    return Math.min(limitPageSize(selectedArguments(selection, args)), most ?? Number.MAX_SAFE_INTEGER);
  if (!selection.list) return 1;
  return (
    most ??
    namedIn(selectedArguments(selection, args)) ??
    namedIn(parent.args) ??
    (entityModel.has(selection.type) ? UNPAGED : 1)
  );
}

/** Returns the declared maximum number of entries of a list. */
function mostOf(field: string, { type }: Parent): number | undefined {
  if (type === "") return getOwnProperty(rootToManyLinks, field)?.most ?? getOwnProperty(rootValues, field)?.most;
  return getOwnProperty(entityModel.get(type)?.many, field)?.most ?? getOwnProperty(OTHERS, `${type}.${field}`);
}

/** Declared maximum lengths of lists on types that are not entities. */
const OTHERS: Readonly<Record<string, number>> = { "RateLimitPayload.limits": 2 };

/** A bulk mutation returns as many rows as its arguments name. */
function namedIn({ ids, input }: Values): number | undefined {
  const { issues, rows } = (input ?? {}) as Values;
  const named = ids ?? issues ?? rows;
  return Array.isArray(named) ? named.length : undefined;
}

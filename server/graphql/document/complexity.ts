import { readOwn } from "../../../formats/own.ts";
import { sizeOf } from "../../read/connection/page.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { model, rootMany, rootValues } from "../../resources/index.ts";
import { scansOf } from "./scans.ts";

/** Most points one operation may cost. */
export const MAX_POINTS = 10_000;

/** Points are counted in tenths, so that they add up exactly. */
const SCALAR = 1;
const OBJECT = 10;
/** A comparison of a long text, which may be made for every row there is, or as much other work. */
const SCAN = 1_000;

type Args = Parameters<typeof argsOf>[1];

/**
 * Points of an operation, before it runs: 0.1 a scalar, 1 an object, and a list multiplies its entries by how many there
 * can be at most, which for a page is `first` or `last`, or 50; the total is rounded up. What is always null or empty
 * costs what a scalar does, whatever is selected below it. The connection itself and `__typename` cost nothing. What is
 * not seen in the selection costs 100 for each comparison of a long text with a word, or for as much other work.
 */
export const pointsOf = (selections: readonly Selection[], args: Args): number =>
  Math.ceil(tenths(selections, args, ROOT) / 10);

const tenths = (selections: readonly Selection[], args: Args, parent: Parent): number =>
  selections.reduce((sum, selection) => sum + tenthsOf(selection, args, parent), 0);

function tenthsOf(selection: Selection, args: Args, parent: Parent): number {
  const { field, children, connection, constant, variants } = selection;
  if (children.length === 0) return field === "__typename" ? 0 : SCALAR;
  if (constant === "null" || constant === "[]") return SCALAR;
  if (variants) return entriesOf(selection, args, parent) * dearestOf(children, args);
  const scans = Math.round(SCAN * scansOf(selection, args));
  if (connection) return scans + pageTenths(selection, args, parent);
  return scans + entriesOf(selection, args, parent) * (OBJECT + tenths(children, args, below(selection, args)));
}

/** Tenths of the dearest of the types that a value may have. */
const dearestOf = (variants: readonly Selection[], args: Args): number =>
  Math.max(...variants.map((each) => tenthsOf(each, args, ROOT)));

/** Tenths of a point for the selection on a connection's entries. */
function pageTenths(selection: Selection, args: Args, parent: Parent): number {
  const size = entriesOf(selection, args, parent);
  return selection.children.reduce((sum, child) => sum + memberTenths(child, args, size), 0);
}

/** Tenths of a member of a connection; those of its entries come as often as there are entries. */
function memberTenths(child: Selection, args: Args, size: number): number {
  if (!ENTRIES.has(child.field) || child.children.length === 0) return tenthsOf(child, args, ROOT);
  if (child.constant === "[]") return SCALAR;
  return size * (OBJECT + tenths(child.children, args, below(child, args)));
}

const ENTRIES = new Set(["nodes", "edges"]);

const below = (selection: Selection, args: Args): Parent => ({ type: selection.type, args: argsOf(selection, args) });

/** What to ask for so that an operation costs at most so many points. */
export function cheaper(selections: readonly Selection[], args: Args, most: number): string {
  const dearest = dearestPage(selections, args, ROOT);
  const rest = tenths(selections, args, ROOT) - (dearest?.tenths ?? 0);
  const size = dearest && Math.floor((dearest.size * (most * 10 - rest)) / dearest.tenths);
  return size && size >= 1
    ? `ask ${dearest.key} for first: ${size}, or select less`
    : "select less, or ask for smaller pages";
}

/** The outermost page that costs most. */
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

/** The entries of a list that has no pages and does not declare how many there can be. */
const UNPAGED = 50;

/** The parent of a field: its type, and the arguments of the field that led there. */
interface Parent {
  type: string;
  args: Values;
}

/** The parent of root fields. */
const ROOT: Parent = { type: "", args: {} };

/** The number of entries that a list counts for: those asked for, or the most that there can be where that is less. */
function entriesOf(selection: Selection, args: readonly Values[], parent: Parent): number {
  if (selection.constant !== undefined) return 1;
  const most = mostOf(selection.field, parent);
  if (selection.connection) return Math.min(sizeOf(argsOf(selection, args)), most ?? Number.MAX_SAFE_INTEGER);
  if (!selection.list) return 1;
  return most ?? namedIn(argsOf(selection, args)) ?? namedIn(parent.args) ?? (model.has(selection.type) ? UNPAGED : 1);
}

/** The most entries that are declared for a list. */
function mostOf(field: string, { type }: Parent): number | undefined {
  if (type === "") return readOwn(rootMany, field)?.most ?? readOwn(rootValues, field)?.most;
  return readOwn(model.get(type)?.many, field)?.most ?? readOwn(OTHERS, `${type}.${field}`);
}

/** Lists of types that are no entities. */
const OTHERS: Readonly<Record<string, number>> = { "RateLimitPayload.limits": 2 };

/** A mutation of several rows answers as many as its arguments name. */
function namedIn({ ids, input }: Values): number | undefined {
  const { issues, rows } = (input ?? {}) as Values;
  const named = ids ?? issues ?? rows;
  return Array.isArray(named) ? named.length : undefined;
}

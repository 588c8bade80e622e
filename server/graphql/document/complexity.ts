import { sizeOf } from "../../read/connection/page.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { scansOf } from "./scans.ts";

/** Most points one operation may cost. */
export const MAX_POINTS = 10_000;

/** Points are counted in tenths, so that they add up exactly. */
const SCALAR = 1;
const OBJECT = 10;
/** A comparison of a long text, which may be made for every row there is. */
const SCAN = 1_000;

type Args = Parameters<typeof argsOf>[1];

/**
 * Points of an operation, before it runs: 0.1 a scalar, 1 an object, and a connection multiplies its entries by `first`
 * or `last`, or 50; the total is rounded up. The connection itself and `__typename` cost nothing, but each comparison of
 * a long text in its filter costs 100.
 */
export const pointsOf = (selections: readonly Selection[], args: Args): number =>
  Math.ceil(tenths(selections, args) / 10);

const tenths = (selections: readonly Selection[], args: Args): number =>
  selections.reduce((sum, selection) => sum + tenthsOf(selection, args), 0);

function tenthsOf(selection: Selection, args: Args): number {
  const { field, children, connection } = selection;
  if (children.length === 0) return field === "__typename" ? 0 : SCALAR;
  if (!connection) return OBJECT + tenths(children, args);
  return SCAN * scansOf(selection, args) + entriesOf(selection, args);
}

/** Tenths of what is selected of a connection's entries. */
function entriesOf(selection: Selection, args: Args): number {
  const size = sizeOf(argsOf(selection, args));
  return selection.children.reduce(
    (sum, child) => sum + tenthsOf(child, args) * (ENTRIES.has(child.field) ? size : 1),
    0,
  );
}

const ENTRIES = new Set(["nodes", "edges"]);

/** What to ask for so that an operation costs at most so many points. */
export function cheaper(selections: readonly Selection[], args: Args, most: number): string {
  const dearest = dearestPage(selections, args);
  const rest = tenths(selections, args) - (dearest?.tenths ?? 0);
  const size = dearest && Math.floor((dearest.size * (most * 10 - rest)) / dearest.tenths);
  return size && size >= 1
    ? `ask ${dearest.key} for first: ${size}, or select less`
    : "select less, or ask for smaller pages";
}

/** The outermost page that costs most. */
function dearestPage(
  selections: readonly Selection[],
  args: Args,
): { key: string; size: number; tenths: number } | undefined {
  const pages = selections.flatMap((selection) => {
    if (!selection.connection) return dearestPage(selection.children, args) ?? [];
    return { key: selection.key, size: sizeOf(argsOf(selection, args)), tenths: entriesOf(selection, args) };
  });
  return pages.sort((one, other) => other.tenths - one.tenths)[0];
}

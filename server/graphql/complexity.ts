import { sizeOf } from "../core/page.ts";
import { argsOf, type Selection } from "../core/selection.ts";
import { rateLimited } from "../errors.ts";

/** Most points one operation may cost (decisions §4). */
export const MAX_POINTS = 10_000;

/** Points are counted in tenths, so that they add up exactly. */
const SCALAR = 1;
const OBJECT = 10;

type Args = Parameters<typeof argsOf>[1];

/**
 * Points of an operation, before it runs: 0.1 a scalar, 1 an object, and a connection multiplies what is below it by
 * `first` or `last`, or 50; the total is rounded up (decisions §4).
 */
export const pointsOf = (selections: readonly Selection[], args: Args): number =>
  Math.ceil(tenths(selections, args) / 10);

const tenths = (selections: readonly Selection[], args: Args): number =>
  selections.reduce((sum, selection) => sum + tenthsOf(selection, args), 0);

function tenthsOf(selection: Selection, args: Args): number {
  if (selection.children.length === 0) return SCALAR;
  const below = tenths(selection.children, args);
  return selection.connection ? below * sizeOf(argsOf(selection, args)) : OBJECT + below;
}

/**
 * Refuses an operation that costs more than one may.
 * @throws rateLimited saying which page to make smaller, and how small.
 */
export function checkPoints(points: number, selections: readonly Selection[], args: Args): void {
  if (points <= MAX_POINTS) return;
  const dearest = dearestPage(selections, args);
  const spare = MAX_POINTS * 10 - (tenths(selections, args) - (dearest?.tenths ?? 0));
  const size = dearest && Math.floor((dearest.size * spare) / dearest.tenths);
  const advice =
    size && size >= 1
      ? `ask ${dearest.key} for first: ${size}, or select less`
      : "select less, or ask for smaller pages";
  throw rateLimited(`the query costs ${points} points, and one query may cost ${MAX_POINTS}; ${advice}`, 1);
}

/** The outermost page that costs most. */
function dearestPage(
  selections: readonly Selection[],
  args: Args,
): { key: string; size: number; tenths: number } | undefined {
  const pages = selections.flatMap((selection) => {
    if (!selection.connection) return dearestPage(selection.children, args) ?? [];
    return { key: selection.key, size: sizeOf(argsOf(selection, args)), tenths: tenthsOf(selection, args) };
  });
  return pages.sort((one, other) => other.tenths - one.tenths)[0];
}

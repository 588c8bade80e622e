import type { AlignedRow } from "./align.ts";

/** Row of the list: one aligned row, or several equal rows folded into a single row. */
type Shown = { row: AlignedRow; at: number } | { same: AlignedRow[]; at: number };

/** Folds equal rows. Turns are not folded, because turns show the reader's position in the run. */
export function collapseEqualRows(rows: readonly AlignedRow[], all: boolean): Shown[] {
  const shown: Shown[] = [];
  for (const [at, row] of rows.entries()) {
    const last = shown.at(-1);
    if (all || row.is !== "same" || row.a?.kind === "turn") shown.push({ row, at });
    else if (last && "same" in last) last.same.push(row);
    else shown.push({ same: [row], at });
  }
  return shown;
}

/** Maximum number of names that a folded row lists. */
const NAMES = 5;

/** Returns the distinct names of the folded calls, in order of time. */
export function formatCallNames(rows: readonly AlignedRow[]): string {
  const names = [...new Set(rows.flatMap(({ a }) => a?.name ?? []))];
  return names.slice(0, NAMES).join(", ") + (names.length > NAMES ? "…" : "");
}

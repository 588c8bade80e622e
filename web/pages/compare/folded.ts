import type { Row } from "./align.ts";

/** A row, or rows that are the same and folded. */
type Shown = { row: Row; at: number } | { same: Row[]; at: number };

/** Folds rows that are the same, but for turns: they say where one is. */
export function shownOf(rows: readonly Row[], all: boolean): Shown[] {
  const shown: Shown[] = [];
  for (const [at, row] of rows.entries()) {
    const last = shown.at(-1);
    if (all || row.is !== "same" || row.a?.kind === "turn") shown.push({ row, at });
    else if (last && "same" in last) last.same.push(row);
    else shown.push({ same: [row], at });
  }
  return shown;
}

/** Names that a fold lists. */
const NAMES = 5;

/** The names of what the runs did alike, each once, in the order of time. */
export function namesOf(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap(({ a }) => a?.name ?? []))];
  return names.slice(0, NAMES).join(", ") + (names.length > NAMES ? "…" : "");
}

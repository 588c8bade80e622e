import { type Signal, signal } from "@preact/signals";
import type { IssueRow } from "./row-type.ts";

/** Rows of a list, the cursor, and the selected rows. */
export interface IssueSelection {
  /** Rows of the list by id, in no particular order. The document has the display order. */
  rows: Map<string, IssueRow>;
  /** Id of the row at the cursor; empty for none. */
  cursor: Signal<string>;
  chosen: Signal<ReadonlySet<string>>;
}

/** Creates the selection of a list with the cursor at a row. */
export const createSelection = (cursor: string): IssueSelection => ({
  rows: new Map(),
  cursor: signal(cursor),
  chosen: signal(new Set()),
});

/** Selects or deselects a row. */
export function toggleIssueSelected({ chosen }: IssueSelection, id: string): void {
  const next = new Set(chosen.peek());
  if (!next.delete(id)) next.add(id);
  chosen.value = next;
}

/** Selects all rows from the cursor to another row, in display order. */
export function selectRange({ chosen, cursor, rows }: IssueSelection, id: string, order: readonly string[]): void {
  const [from, to] = [order.indexOf(cursor.peek()), order.indexOf(id)].sort((a, b) => a - b) as [number, number];
  const between = from < 0 ? [id] : order.slice(from, to + 1);
  chosen.value = new Set([...chosen.peek(), ...between.filter((each) => rows.has(each))]);
}

/** Returns the issues for an action: the selected issues, or without a selection the issue at the cursor. */
export function findIssuesToActOn({ chosen, cursor, rows }: IssueSelection): IssueRow[] {
  const ids = chosen.value.size > 0 ? [...chosen.value] : [cursor.value];
  return ids.flatMap((id) => rows.get(id) ?? []);
}

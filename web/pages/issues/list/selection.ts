import { type Signal, signal } from "@preact/signals";
import type { IssueRow } from "./row-type.ts";

/** The rows of a list that are shown, the one that the keys are at, and those that are selected. */
export interface Selection {
  /** The shown rows by their ids; their order is that of the document. */
  rows: Map<string, IssueRow>;
  /** Id of the row that the keys are at; empty for none. */
  cursor: Signal<string>;
  chosen: Signal<ReadonlySet<string>>;
}

/** Makes the selection of a list, with the row that the keys are at. */
export const newSelection = (cursor: string): Selection => ({
  rows: new Map(),
  cursor: signal(cursor),
  chosen: signal(new Set()),
});

/** Selects a row, or takes it out. */
export function toggle({ chosen }: Selection, id: string): void {
  const next = new Set(chosen.peek());
  if (!next.delete(id)) next.add(id);
  chosen.value = next;
}

/** Selects all rows between the one that the keys are at and another one, in the order in which they stand. */
export function selectTo({ chosen, cursor, rows }: Selection, id: string, order: readonly string[]): void {
  const [from, to] = [order.indexOf(cursor.peek()), order.indexOf(id)].sort((a, b) => a - b) as [number, number];
  const between = from < 0 ? [id] : order.slice(from, to + 1);
  chosen.value = new Set([...chosen.peek(), ...between.filter((each) => rows.has(each))]);
}

/** The issues that an action is about: those selected, else the one that the keys are at. */
export function subjects({ chosen, cursor, rows }: Selection): IssueRow[] {
  const ids = chosen.value.size > 0 ? [...chosen.value] : [cursor.value];
  return ids.flatMap((id) => rows.get(id) ?? []);
}

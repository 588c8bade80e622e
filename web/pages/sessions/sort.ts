import type { RecordedSessionSortInput } from "../../data/documents.ts";

/** Fields that the list can be sorted by. */
export type SessionSortField = "startedAt" | "duration" | "cost" | "failures";

/** Sort order from the URL: `cost`, or `cost.up` for ascending. */
export interface SessionSort {
  name: SessionSortField;
  descending: boolean;
}

const NAMES: readonly SessionSortField[] = ["startedAt", "duration", "cost", "failures"];

/** Reads the sort order from the parameters of a URL; newest first by default. */
export function readSessionSort(search: URLSearchParams): SessionSort {
  const [name, way] = (search.get("sort") ?? "").split(".");
  const known = NAMES.find((one) => one === name) ?? "startedAt";
  return { name: known, descending: !(known === name && way === "up") };
}

/**
 * Returns the sort order for the URL after a click on a column head. The first click sorts descending, the second click
 * ascending. Returns undefined for the default order.
 */
export function toggleSort({ name, descending }: SessionSort, next: SessionSortField): string | undefined {
  const up = name === next && descending;
  return next === "startedAt" && !up ? undefined : `${next}${up ? ".up" : ""}`;
}

/** Returns true for the default order, newest first. New sessions can be added only to a list in this order. */
export const isDefaultSort = ({ name, descending }: SessionSort): boolean => name === "startedAt" && descending;

/** Converts an order to input for the server. */
export const toSortInput = ({ name, descending }: SessionSort): RecordedSessionSortInput[] => [
  { [name]: { order: descending ? "Descending" : "Ascending" } },
];

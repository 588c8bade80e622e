import { readOwn } from "../../../../formats/own.ts";
import type { IssueSortInput } from "../../../data/documents.ts";

type Order = "Ascending" | "Descending";

/** Orders by their names in the address, each with its name for people; `.up` behind one turns it. */
const SORTS: Readonly<Record<string, { name: string; by: (turn: (order: Order) => Order) => IssueSortInput[] }>> = {
  updated: { name: "Changed last", by: (turn) => [{ updatedAt: { order: turn("Descending") } }] },
  created: { name: "Created last", by: (turn) => [{ createdAt: { order: turn("Descending") } }] },
  // The server's order of work: urgent first and those without a priority last, then what unblocks most, then the oldest.
  priority: { name: "Priority", by: (turn) => [{ ready: { order: turn("Ascending") } }] },
  due: { name: "Due date", by: (turn) => [{ dueDate: { order: turn("Ascending") } }] },
  title: { name: "Title", by: (turn) => [{ title: { order: turn("Ascending") } }] },
};

const USUAL = "updated";

/** The orders that can be chosen. */
export const SORT_NAMES: readonly [sort: string, name: string][] = Object.entries(SORTS).map(([sort, { name }]) => [
  sort,
  name,
]);

/** The order of an address, such as `priority` or `updated.up`. */
export function sortName(search: URLSearchParams): string {
  const asked = search.get("sort") ?? USUAL;
  return Object.hasOwn(SORTS, asked.replace(/\.up$/, "")) ? asked : USUAL;
}

/** The same for the server. */
export function sortOf(search: URLSearchParams): IssueSortInput[] {
  const name = sortName(search);
  const turned = name.endsWith(".up");
  const turn = (order: Order): Order => (turned ? (order === "Ascending" ? "Descending" : "Ascending") : order);
  return readOwn(SORTS, name.replace(/\.up$/, ""))?.by(turn) ?? [];
}

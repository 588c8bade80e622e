import { getOwnProperty } from "../../../../formats/own.ts";
import type { IssueSortInput } from "../../../data/documents.ts";

type Order = "Ascending" | "Descending";

/**
 * Sort orders that the user can choose, with labels. Each key is a value of the URL parameter `sort`; the suffix `.up`
 * reverses the order.
 */
const SORTS: Readonly<Record<string, { name: string; by: (turn: (order: Order) => Order) => IssueSortInput[] }>> = {
  updated: { name: "Last updated", by: (turn) => [{ updatedAt: { order: turn("Descending") } }] },
  created: { name: "Last created", by: (turn) => [{ createdAt: { order: turn("Descending") } }] },
  // Order of work on the server: urgent issues first, issues without a priority last. Within a priority, issues that
  // unblock the most issues come first, then the oldest issues.
  priority: { name: "Priority", by: (turn) => [{ ready: { order: turn("Ascending") } }] },
  due: { name: "Due date", by: (turn) => [{ dueDate: { order: turn("Ascending") } }] },
  title: { name: "Title", by: (turn) => [{ title: { order: turn("Ascending") } }] },
};

const USUAL = "updated";

/** Orders that the user can choose. */
export const SORT_OPTIONS: readonly [sort: string, name: string][] = Object.entries(SORTS).map(([sort, { name }]) => [
  sort,
  name,
]);

/** Reads the name of the order from an address, such as `priority` or `updated.up`. */
export function readSortName(search: URLSearchParams): string {
  const asked = search.get("sort") ?? USUAL;
  return Object.hasOwn(SORTS, asked.replace(/\.up$/, "")) ? asked : USUAL;
}

/** Converts the sort order in the URL to the sort input of the server. */
export function readSort(search: URLSearchParams): IssueSortInput[] {
  const name = readSortName(search);
  const turned = name.endsWith(".up");
  const turn = (order: Order): Order => (turned ? (order === "Ascending" ? "Descending" : "Ascending") : order);
  return getOwnProperty(SORTS, name.replace(/\.up$/, ""))?.by(turn) ?? [];
}

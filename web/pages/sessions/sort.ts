import type { RecordedSessionSortInput } from "../../data/documents.ts";

/** By what the list can be sorted. */
export type SortName = "startedAt" | "duration" | "cost" | "failures";

/** A sort, as the address has it: `cost`, or `cost.up` for the least first. */
export interface Sort {
  name: SortName;
  descending: boolean;
}

const NAMES: readonly SortName[] = ["startedAt", "duration", "cost", "failures"];

/** The sort of an address: the newest first where it names none. */
export function sortOf(search: URLSearchParams): Sort {
  const [name, way] = (search.get("sort") ?? "").split(".");
  const known = NAMES.find((one) => one === name) ?? "startedAt";
  return { name: known, descending: !(known === name && way === "up") };
}

/** The sort in the address when a head is pressed: most first, then least first. */
export function pressed({ name, descending }: Sort, next: SortName): string | undefined {
  const up = name === next && descending;
  return next === "startedAt" && !up ? undefined : `${next}${up ? ".up" : ""}`;
}

/** True for the sort of an address that names none: newest first, taking what comes. */
export const isUsual = ({ name, descending }: Sort): boolean => name === "startedAt" && descending;

/** The query. */
export const sortInput = ({ name, descending }: Sort): RecordedSessionSortInput[] => [
  { [name]: { order: descending ? "Descending" : "Ascending" } },
];

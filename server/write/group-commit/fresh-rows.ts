import type { Found } from "../rows.ts";
import { keyOf, type Write } from "../write.ts";

/** What the mutations of one transaction read of small tables, and whether they changed any. */
export interface Fresh {
  rows: Map<string, Found>;
  changed: boolean;
}

/** Nothing yet. */
export const nothingFresh = (): Fresh => ({ rows: new Map(), changed: false });

/** Adds what a mutation read, or that it changed one of those tables. */
export function addFresh(fresh: Fresh, write: Write): void {
  if (write.entries.some(({ entity }) => entity.small)) {
    fresh.changed = true;
    fresh.rows.clear();
    return;
  }
  for (const [key, row] of write.rows) {
    const name = key.slice(0, key.indexOf(" "));
    if (row && write.model.get(name)?.small && key === keyOf(name, row.id)) fresh.rows.set(key, row);
  }
}

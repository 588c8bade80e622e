import type { Write } from "../write.ts";
import type { DependentLink, DependentPairs } from "./dependents.ts";

/** Rows of one link that one transaction changes at most: it holds the organization's other writers back. */
export const MOST = 5_000;

/** A removal under way. */
export interface Removal {
  write: Write;
  /** Rows of one link that it changes at most. */
  limit: number;
  /** Ids of what goes, by entity: what links only to each other needs no detaching. */
  going: Map<string, Set<string>>;
  /** The link that has more rows than the limit; what it leads to stays for now. */
  unfinished?: DependentLink | DependentPairs;
}

/** As many as one transaction takes; a link that has more is unfinished. */
export function withinLimit(
  removal: Removal,
  link: DependentLink | DependentPairs,
  ids: readonly string[],
): readonly string[] {
  if (ids.length <= removal.limit) return ids;
  removal.unfinished = link;
  return ids.slice(0, removal.limit);
}

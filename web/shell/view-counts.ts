import { document } from "../data/document.ts";
import type { IssueFilter } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { CHANGED, RESUMED } from "../data/realtime.ts";
import { useTouched } from "../data/touched.ts";
import { MOST_COUNTED } from "./rail-count.tsx";
import type { View } from "./saved-views.tsx";

/** Views that are counted, the first ones; and the shortest pause between two reads. */
const VIEWS = 20;
const PAUSE_MS = 5_000;
const WHEN = [CHANGED, RESUMED];

/** The numbers of issues that views have, by their ids: up to a hundred of each, all in one read. */
export function useViewCounts(views: readonly View[]): ReadonlyMap<string, number> {
  const counted = views.slice(0, VIEWS);
  const variables = Object.fromEntries(counted.map(({ filterData }, at) => [`f${at}`, filterData]));
  const { data, reload } = useQuery(documentOf(counted.length), counted.length > 0 ? variables : undefined);
  useTouched(reload, PAUSE_MS, WHEN);
  return new Map(counted.map(({ id }, at) => [id, data?.[`v${at}`]?.count ?? 0]));
}

/** The document for so many views: each is counted by a filter of its own. */
function documentOf(views: number) {
  const all = Array.from({ length: views }, (_, at) => at);
  const takes = all.map((at) => `$f${at}: IssueFilter`).join(", ");
  const asks = all.map((at) => `v${at}: issueGroups(filter: $f${at}, stopAt: ${MOST_COUNTED}) { count }`).join(" ");
  return document<Record<string, { count: number }>, Record<string, IssueFilter>>(`query (${takes}) { ${asks} }`);
}

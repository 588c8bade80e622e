import { useChanges } from "../data/changes.ts";
import { document } from "../data/document.ts";
import type { IssueFilter } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { useRecount } from "../data/touched.ts";
import { Icon } from "../parts/icon.tsx";
import { Count } from "../parts/marks.tsx";
import { pathOfView, shownView, useViews, type View } from "./saved-views.tsx";

/** The saved views with their counts, in the rail beside the issues. */
export default function SavedViews() {
  const { views = [], reload } = useViews();
  useChanges(({ type }) => type === "CustomView", reload, "views");
  const counts = useViewCounts(views);
  if (views.length === 0) return null;
  return (
    <div class="views">
      <h2 id="saved-views">Saved views</h2>
      <ul aria-labelledby="saved-views">
        {views.map(({ id, name, shared }) => (
          <li key={id}>
            <a href={pathOfView(id)} title={name} aria-current={shownView() === id ? "page" : undefined}>
              <bdi class="cut">{name}</bdi>
              {!shared && (
                <span class="row few dim">
                  <Icon name="lock" class="i-14" />
                  <span class="sr">yours alone</span>
                </span>
              )}
              <Count of={[counts.get(id) ?? 0]} />
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Views that are counted, the first ones. */
const VIEWS = 20;

/** The numbers of issues that views have, by their ids: up to a hundred of each, all in one read. */
function useViewCounts(views: readonly View[]): ReadonlyMap<string, number> {
  const counted = views.slice(0, VIEWS);
  const variables = Object.fromEntries(counted.map(({ filterData }, at) => [`f${at}`, filterData]));
  const { data, reload } = useQuery(documentOf(counted.length), counted.length > 0 ? variables : undefined);
  useRecount(reload);
  return new Map(counted.map(({ id }, at) => [id, data?.[`v${at}`]?.count ?? 0]));
}

/** The document for so many views: each is counted by a filter of its own. */
function documentOf(views: number) {
  const all = Array.from({ length: views }, (_, at) => at);
  const takes = all.map((at) => `$f${at}: IssueFilter`).join(", ");
  const asks = all.map((at) => `v${at}: issueGroups(filter: $f${at}, stopAt: 100) { count }`).join(" ");
  return document<Record<string, { count: number }>, Record<string, IssueFilter>>(`query (${takes}) { ${asks} }`);
}

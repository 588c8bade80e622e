import { readOwn } from "../../formats/own.ts";
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
  const counted = views.slice(0, COUNTED);
  const { counts, refusal } = useCounts(counted);
  if (views.length === 0) return null;
  return (
    <div class="views">
      <h2 id="saved-views">Saved views</h2>
      <ul aria-labelledby="saved-views">
        {views.map((view) =>
          refusal && counted.includes(view) ? (
            <CountedAlone key={view.id} view={view} />
          ) : (
            <Entry key={view.id} view={view} count={counts.get(view.id)} />
          ),
        )}
      </ul>
    </div>
  );
}

interface EntryProps {
  view: View;
  count: number | undefined;
  /** The reason why it cannot be counted. */
  reason?: string | undefined;
}

const Entry = ({ view: { id, name, shared }, count = 0, reason }: EntryProps) => (
  <li>
    <a
      href={pathOfView(id)}
      title={reason ? `${name}: ${reason}` : name}
      aria-current={shownView() === id ? "page" : undefined}
    >
      <bdi class="cut">{name}</bdi>
      {!shared && (
        <span class="row few dim">
          <Icon name="lock" class="i-14" />
          <span class="sr">yours alone</span>
        </span>
      )}
      <Count of={[count]} />
    </a>
  </li>
);

/** A view that is counted by itself: another one had the read of all refused. */
function CountedAlone({ view }: { view: View }) {
  const { counts, refusal } = useCounts([view]);
  return <Entry view={view} count={counts.get(view.id)} reason={refusal} />;
}

/** Views that are counted, the first ones. */
const COUNTED = 20;

/** The numbers of issues that views have, by their ids: up to a hundred of each, all in one read. */
function useCounts(views: readonly View[]) {
  const variables = Object.fromEntries(views.map(({ filterData }, at) => [`f${at}`, filterData]));
  const { data, error, reload } = useQuery(documentOf(views.length), views.length > 0 ? variables : undefined);
  useRecount(reload);
  return {
    counts: new Map(views.map(({ id }, at) => [id, readOwn(data, `v${at}`)?.count ?? 0])),
    // An error that passes by itself is asked about again.
    refusal: error && !error.passing ? error.message : undefined,
  };
}

/** The document for so many views: each is counted by a filter of its own. */
function documentOf(views: number) {
  const all = Array.from({ length: views }, (_, at) => at);
  const takes = all.map((at) => `$f${at}: IssueFilter`).join(", ");
  const asks = all.map((at) => `v${at}: issueGroups(filter: $f${at}, stopAt: 100) { count }`).join(" ");
  return document<Record<string, { count: number }>, Record<string, IssueFilter>>(`query (${takes}) { ${asks} }`);
}

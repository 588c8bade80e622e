import { getOwnProperty } from "../../formats/own.ts";
import { useReloadOnChange } from "../data/changes.ts";
import { toGraphQLDocument } from "../data/document.ts";
import type { IssueFilter } from "../data/documents.ts";
import { useQuery } from "../data/query.ts";
import { useRecountOnEvents } from "../data/touched.ts";
import { Icon } from "../parts/icon.tsx";
import { CountBadge } from "../parts/marks.tsx";
import { buildSavedViewPath, readSavedViewId, type SavedView, useSavedViews } from "./saved-views.tsx";

/** Saved views with counts, in the sidebar below the issues. */
export default function SidebarSavedViews() {
  const { views = [], reload } = useSavedViews();
  useReloadOnChange(({ type }) => type === "CustomView", reload, "views");
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
  view: SavedView;
  count: number | undefined;
  /** Reason why the issues of the view cannot be counted. */
  reason?: string | undefined;
}

const Entry = ({ view: { id, name, shared }, count = 0, reason }: EntryProps) => (
  <li>
    <a
      href={buildSavedViewPath(id)}
      title={reason ? `${name}: ${reason}` : name}
      aria-current={readSavedViewId() === id ? "page" : undefined}
    >
      <bdi class="cut">{name}</bdi>
      {!shared && (
        <span class="row few dim">
          <Icon name="lock" class="i-14" />
          <span class="sr">private</span>
        </span>
      )}
      <CountBadge of={[count]} />
    </a>
  </li>
);

/**
 * View that is counted with a separate request. Used after an invalid view made the shared request for the counted
 * views fail.
 */
function CountedAlone({ view }: { view: SavedView }) {
  const { counts, refusal } = useCounts([view]);
  return <Entry view={view} count={counts.get(view.id)} reason={refusal} />;
}

/** Maximum number of counted views. */
const COUNTED = 20;

/**
 * Counts the issues of all given views with one request, up to 100 issues per view. Returns a map from the id of each
 * view to the count.
 */
function useCounts(views: readonly SavedView[]) {
  const variables = Object.fromEntries(views.map(({ filterData }, at) => [`f${at}`, filterData]));
  const { data, error, reload } = useQuery(documentOf(views.length), views.length > 0 ? variables : undefined);
  useRecountOnEvents(reload);
  return {
    counts: new Map(views.map(({ id }, at) => [id, getOwnProperty(data, `v${at}`)?.count ?? 0])),
    // Trackway retries the request after a temporary error, so the sidebar shows only permanent errors.
    refusal: error && !error.passing ? error.message : undefined,
  };
}

/** Builds one GraphQL document that counts the issues of several views, each with a filter variable. */
function documentOf(views: number) {
  const all = Array.from({ length: views }, (_, at) => at);
  const takes = all.map((at) => `$f${at}: IssueFilter`).join(", ");
  const asks = all.map((at) => `v${at}: issueGroups(filter: $f${at}, stopAt: 100) { count }`).join(" ");
  return toGraphQLDocument<Record<string, { count: number }>, Record<string, IssueFilter>>(
    `query (${takes}) { ${asks} }`,
  );
}

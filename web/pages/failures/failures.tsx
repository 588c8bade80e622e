import { useRef, useState } from "preact/hooks";
import { FailureSummary, Failures as FailuresDocument, type FailuresQuery } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { readTimeRange, TimeRangeSelect } from "../../parts/time/range.tsx";
import { showToast } from "../../parts/toast.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { ComparePeriodsButton, FailureRate, isComparisonShown } from "./before.tsx";
import { FailureGroupList } from "./list.tsx";
import type { FailureGroup } from "./marks.tsx";
import { FailureGroupPanel } from "./panel.tsx";
import { FailureStateTabs, readFailureStatesFromUrl } from "./tabs.tsx";

/** The server counts groups about once a minute, so more frequent reads return no changes. */
const PAUSE_MS = 20_000;
type Page1 = FailuresQuery["recordedFailureGroups"];
/** Parses the search field: `tool:Bash`, and words that the message contains. */
function conditionsOf(text: string) {
  const tool = /(?:^|\s)tool:(\S+)/.exec(text)?.[1];
  const words = text.replace(/(?:^|\s)tool:\S+/, " ").trim();
  return { ...(tool && { tool: { eq: tool } }), ...(words && { message: { containsIgnoreCase: words } }) };
}

/** Page of recorded failures of all tools, grouped by message. */
export default function FailuresPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const text = appLocation.value.search.get("q") ?? "";
  const from = readTimeRange();
  const filter = { state: { in: readFailureStatesFromUrl() }, lastAt: { gte: from }, ...conditionsOf(text) };
  const { data, error, reload } = useQuery(FailuresDocument, { filter });
  const summary = useQuery(FailureSummary, { from });
  const again = async () => void (await Promise.all([reload(), summary.reload()]));
  useReloadOnEvents(again, PAUSE_MS);
  const field = useRef<HTMLInputElement>(null);
  // Text in the field that is not submitted yet. The state keeps the text when the page is rendered again.
  const [written, write] = useState<string>();
  const find = () => field.current?.focus();
  useKeyboardShortcuts({ "/": find, f: find });
  const page = data?.recordedFailureGroups;
  const [more, loadMore] = useMore(page, filter);
  const groups = page && [
    ...page.nodes,
    ...more.nodes.filter(({ id: one }) => !page.nodes.some((other) => other.id === one)),
  ];
  return (
    <Page title="Failures" fixed keys={KEYS}>
      <header class="head">
        <h1>Failures</h1>
        <div class="acts">
          <TimeRangeSelect />
          <ComparePeriodsButton />
        </div>
      </header>
      <FailureStateTabs summary={summary.data?.recordedFailureSummary} />
      <div class="filters" role="search" aria-label="Filter failures">
        <label class="find">
          <Icon name="filter" class="i-14" />
          <span class="sr">Filter failures</span>
          <input
            ref={field}
            placeholder="Filter: tool:Bash or text"
            value={written ?? text}
            onInput={(event) => write(event.currentTarget.value)}
            onChange={(event) => {
              write(undefined);
              setSearchParameters({ q: event.currentTarget.value.trim() });
            }}
            onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
          />
          <kbd class="only-wide">F</kbd>
        </label>
        <span class="sum" role="status">
          {groups && <Sum groups={groups} isPart={more.next !== undefined} />}
          {isComparisonShown() && <FailureRate />}
        </span>
      </div>
      <div class={id ? "beside open" : "beside"}>
        <div class="scroll">
          <LoadedContent data={groups} error={error} retry={reload}>
            {(all) => <FailureGroupList groups={all} id={id} whole={more.next === undefined} />}
          </LoadedContent>
          {page?.incomplete && <p class="hint pad">Trackway is still counting events. More groups may appear.</p>}
          {more.next !== undefined && (
            <p class="pad">
              <button class="btn" type="button" onClick={loadMore}>
                Show more
              </button>
            </p>
          )}
        </div>
        {id && <FailureGroupPanel key={id} id={id} siblings={groups?.map((one) => one.id) ?? []} changed={again} />}
      </div>
    </Page>
  );
}

function Sum({ groups, isPart }: { groups: readonly FailureGroup[]; isPart: boolean }) {
  const failures = groups.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <b>{failures.toLocaleString()}</b> {failures === 1 ? "failure" : "failures"} in{" "}
      <b>
        {groups.length}
        {isPart && "+"}
      </b>{" "}
      {groups.length === 1 ? "group" : "groups"}
    </>
  );
}

/** Reads the pages after the first page. Discards the loaded pages when the filter changes. */
function useMore(first: Page1 | undefined, filter: object) {
  const key = JSON.stringify(filter);
  const [loaded, setLoaded] = useState<{ key: string; nodes: readonly FailureGroup[]; next: string | null }>();
  const own = loaded?.key === key ? loaded : undefined;
  const last = first?.pageInfo.hasNextPage ? first.pageInfo.endCursor : undefined;
  const next = own ? (own.next ?? undefined) : (last ?? undefined);
  const load = () =>
    void requestGraphQL(FailuresDocument, { filter, after: next ?? null }).then(
      ({ recordedFailureGroups: { nodes, pageInfo } }) =>
        setLoaded({
          key,
          nodes: [...(own?.nodes ?? []), ...nodes],
          next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        }),
      (problem: Error) => showToast(problem.message),
    );
  return [{ nodes: own?.nodes ?? [], next }, load] as const;
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["C"], "file an issue"],
  [["I"], "ignore"],
  [["B"], "compare with previous period"],
  [["F"], "filter"],
  [["Esc"], "close"],
];

import { useRef, useState } from "preact/hooks";
import { FailureSummary, Failures as FailuresDocument, type FailuresQuery } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Range, rangeOfPlace } from "../../parts/time/range.tsx";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { CompareButton, isCompared, ShareFailed } from "./before.tsx";
import { List } from "./list.tsx";
import type { Group } from "./marks.tsx";
import { GroupPanel } from "./panel.tsx";
import { statesOfPlace, Tabs } from "./tabs.tsx";

/** Groups are counted about once a minute: to read them more often shows nothing new. */
const PAUSE_MS = 20_000;
type Page1 = FailuresQuery["recordedFailureGroups"];
/** The conditions of the field: `tool:Bash`, and words that the message holds. */
function conditionsOf(text: string) {
  const tool = /(?:^|\s)tool:(\S+)/.exec(text)?.[1];
  const words = text.replace(/(?:^|\s)tool:\S+/, " ").trim();
  return { ...(tool && { tool: { eq: tool } }), ...(words && { message: { containsIgnoreCase: words } }) };
}

/** Everything that failed, over all tools, by what it says. */
export default function FailuresPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const text = place.value.search.get("q") ?? "";
  const from = rangeOfPlace();
  const filter = { state: { in: statesOfPlace() }, lastAt: { gte: from }, ...conditionsOf(text) };
  const { data, error, reload } = useQuery(FailuresDocument, { filter });
  const summary = useQuery(FailureSummary, { from });
  const again = async () => void (await Promise.all([reload(), summary.reload()]));
  useTouched(again, PAUSE_MS);
  const field = useRef<HTMLInputElement>(null);
  // Text that is written but not asked for yet: the page is drawn again meanwhile.
  const [written, write] = useState<string>();
  const find = () => field.current?.focus();
  useKeys({ "/": find, f: find });
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
          <Range />
          <CompareButton />
        </div>
      </header>
      <Tabs summary={summary.data?.recordedFailureSummary} />
      <div class="filters" role="search" aria-label="Filter failures">
        <label class="find">
          <Icon name="filter" class="i-14" />
          <span class="sr">Filter failures</span>
          <input
            ref={field}
            placeholder="Filter: tool:Bash, words"
            value={written ?? text}
            onInput={(event) => write(event.currentTarget.value)}
            onChange={(event) => {
              write(undefined);
              setSearch({ q: event.currentTarget.value.trim() });
            }}
            onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
          />
          <kbd class="only-wide">F</kbd>
        </label>
        <span class="sum" role="status">
          {groups && <Sum groups={groups} isPart={more.next !== undefined} />}
          {isCompared() && <ShareFailed />}
        </span>
      </div>
      <div class={id ? "beside open" : "beside"}>
        <div class="scroll">
          <Loaded data={groups} error={error} retry={reload}>
            {(all) => <List groups={all} id={id} whole={more.next === undefined} />}
          </Loaded>
          {page?.incomplete && <p class="hint pad">Events are still being counted: more groups will come.</p>}
          {more.next !== undefined && (
            <p class="pad">
              <button class="btn" type="button" onClick={loadMore}>
                Show more
              </button>
            </p>
          )}
        </div>
        {id && <GroupPanel key={id} id={id} siblings={groups?.map((one) => one.id) ?? []} changed={again} />}
      </div>
    </Page>
  );
}

function Sum({ groups, isPart }: { groups: readonly Group[]; isPart: boolean }) {
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

/** The pages after the first. They are forgotten when something else is asked for. */
function useMore(first: Page1 | undefined, filter: object) {
  const key = JSON.stringify(filter);
  const [loaded, setLoaded] = useState<{ key: string; nodes: readonly Group[]; next: string | null }>();
  const own = loaded?.key === key ? loaded : undefined;
  const last = first?.pageInfo.hasNextPage ? first.pageInfo.endCursor : undefined;
  const next = own ? (own.next ?? undefined) : (last ?? undefined);
  const load = () =>
    void request(FailuresDocument, { filter, after: next ?? null }).then(
      ({ recordedFailureGroups: { nodes, pageInfo } }) =>
        setLoaded({
          key,
          nodes: [...(own?.nodes ?? []), ...nodes],
          next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        }),
      (problem: Error) => toast(problem.message),
    );
  return [{ nodes: own?.nodes ?? [], next }, load] as const;
}

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["C"], "file an issue"],
  [["I"], "ignore"],
  [["B"], "compare with before"],
  [["F"], "filter"],
  [["Esc"], "close"],
];

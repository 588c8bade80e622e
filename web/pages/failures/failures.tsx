import { useRef, useState } from "preact/hooks";
import {
  FailureSummary,
  type FailureSummaryQuery,
  Failures as FailuresDocument,
  type FailuresQuery,
} from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Drawing, Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Empty } from "../../parts/states.tsx";
import { plural } from "../../parts/texts/format.ts";
import { Range, rangeOfPlace } from "../../parts/time/range.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place, setSearch } from "../../shell/router.ts";
import { Days, type Group, type GroupState, STATES, StateOfGroup } from "./marks.tsx";
import { GroupPanel } from "./panel.tsx";

/** Days of the course that a row shows. */
const DAYS = 14;
/** Groups are counted about once a minute: to read them more often shows nothing new. */
const PAUSE_MS = 20_000;
const TO_LOOK_AT: readonly GroupState[] = ["new", "back", "ongoing"];

type Page1 = FailuresQuery["recordedFailureGroups"];
type Summary = FailureSummaryQuery["recordedFailureSummary"];

/** The states that the address asks for. */
function statesOfPlace(): readonly GroupState[] {
  const given = place.value.search.get("state") ?? "";
  if (given === "all") return Object.keys(STATES) as GroupState[];
  return given in STATES ? [given as GroupState] : TO_LOOK_AT;
}

/** The address of a group, beside the list as it is. */
export const groupHref = (id: string): string => `${id ? `/failures/${id}` : "/failures"}${location.search}`;

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
            value={text}
            onChange={(event) => setSearch({ q: event.currentTarget.value.trim() })}
            onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
          />
          <kbd class="only-wide">F</kbd>
        </label>
        <span class="sum" role="status">
          {groups && sumOf(groups, more.next !== undefined)}
        </span>
      </div>
      <div class={id ? "beside open" : "beside"}>
        <div class="scroll">
          <Loaded data={groups} error={error} retry={reload}>
            {(all) => <List groups={all} id={id} whole={more.next === undefined} />}
          </Loaded>
          {page?.incomplete && <p class="hint pad">Restored events are still being counted: more groups will come.</p>}
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

const sumOf = (groups: readonly Group[], isPart: boolean): string =>
  `${plural(
    groups.reduce((sum, { count }) => sum + count, 0),
    "failure",
  )} in ${groups.length}${isPart ? "+" : ""} ${groups.length === 1 ? "group" : "groups"}`;

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

function Tabs({ summary }: { summary: Summary | undefined }) {
  const here = place.value.search.get("state") ?? "";
  const sum = (states: readonly GroupState[]) =>
    summary && `${states.reduce((total, state) => total + summary[state], 0)}${summary.truncated ? "+" : ""}`;
  const tabs: [value: string, name: string, states: readonly GroupState[], drawing?: string, tint?: string][] = [
    ["", "To look at", TO_LOOK_AT],
    ...Object.entries(STATES).map(([state, [name, drawing, tint]]): (typeof tabs)[number] => [
      state,
      name,
      [state as GroupState],
      drawing,
      tint,
    ]),
    ["all", "All", Object.keys(STATES) as GroupState[]],
  ];
  return (
    <div class="tab-row">
      <div class="tabs" role="group" aria-label="Failures shown">
        {tabs.map(([value, name, states, drawing, tint = ""]) => (
          <button
            key={value}
            type="button"
            aria-current={here === value ? "true" : undefined}
            onClick={() => setSearch({ state: value }, false)}
          >
            {drawing && <Drawing d={drawing} class={`i-14 ${tint}`} />}
            {name} <span class="dim count">{sum(states)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

function List({ groups, id, whole }: { groups: readonly Group[]; id: string; whole: boolean }) {
  if (groups.length === 0) return <None />;
  return (
    <DataTable
      label="Failure groups"
      class="failure-list"
      rows={groups}
      columns={whole ? COLUMNS : COLUMNS.map(({ sort: _sort, ...column }) => column)}
      keyOf={(group) => group.id}
      href={(group) => groupHref(group.id)}
      sorted="Last"
      chosen={{ key: id, choose: (key) => navigate(groupHref(key), { replace: id !== "" }) }}
    />
  );
}

function None() {
  const { search } = place.value;
  const isNarrowed = Boolean(search.get("q") || search.get("state"));
  return (
    <Empty icon="okc" title={isNarrowed ? "No failure is like this" : "Nothing to look at"}>
      <p>
        {isNarrowed
          ? "No group of failures of this time fits."
          : "Nothing failed in this time that is not filed or ignored."}
      </p>
      <div class="row">
        <button class="btn" type="button" onClick={() => setSearch({ q: undefined, state: "all" }, false)}>
          Show all
        </button>
      </div>
    </Empty>
  );
}

const COLUMNS: Column<Group>[] = [
  { name: "State", class: "c-state l2", cell: ({ state }) => <StateOfGroup state={state} /> },
  {
    name: "Failure",
    class: "wide c-what",
    cell: (group, link) => (
      <span class="failure-name">
        <a class="name cut" href={groupHref(group.id)} title={group.message} {...link}>
          <bdi>{group.message || "(no message)"}</bdi>
        </a>
        <span class="cut mono dim" title={group.tool}>
          <bdi>{group.tool}</bdi>
        </span>
      </span>
    ),
  },
  {
    name: "Agents",
    class: "c-agents only-wide",
    cell: ({ agents }) => (
      <span class="avatars" title={agents.join(", ")}>
        {agents.slice(0, 3).map((agent) => (
          <Avatar key={agent} name={agent} bot />
        ))}
        <span class="sr">{agents.join(", ")}</span>
      </span>
    ),
  },
  {
    name: "14 days",
    class: "c-days m1",
    cell: ({ days, state }) => <Days days={days} shown={DAYS} recent={state === "new" || state === "back"} />,
  },
  {
    name: "Count",
    class: "num strong r1",
    label: "count",
    sort: ({ count }) => count,
    cell: ({ count }) => count.toLocaleString(),
  },
  {
    name: "Sessions",
    class: "num mid only-wide c-sessions",
    sort: ({ sessions }) => sessions,
    cell: ({ sessions }) => sessions,
  },
  {
    name: "First",
    class: "num dim only-wide c-first",
    sort: ({ firstAt }) => firstAt,
    cell: ({ firstAt }) => <Ago at={firstAt} />,
  },
  {
    name: "Last",
    class: "num dim m2",
    label: "last",
    sort: ({ lastAt }) => lastAt,
    cell: ({ lastAt }) => <Ago at={lastAt} />,
  },
  {
    name: "Issue",
    class: "c-issue only-wide",
    cell: ({ issue }) =>
      issue && (
        <a class="mono" href={new URL(issue.url).pathname} onClick={(event) => event.stopPropagation()}>
          {issue.identifier}
        </a>
      ),
  },
];

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["C"], "file an issue"],
  [["I"], "ignore"],
  [["F"], "filter"],
  [["Esc"], "close"],
];

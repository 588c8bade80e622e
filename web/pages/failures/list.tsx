import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { appLocation, navigate, setSearchParameters } from "../../shell/router.ts";
import { DailyFailuresChart, type FailureGroup, FailureStateBadge } from "./marks.tsx";

/** Days in the chart of a row. */
const DAYS = 14;

/** Returns the URL path that shows a group next to the current list. With an empty id, the path shows only the list. */
export const buildGroupHref = (id: string): string => `${id ? `/failures/${id}` : "/failures"}${location.search}`;

/** Table of failure groups. */
export function FailureGroupList({
  groups,
  id,
  whole,
}: {
  groups: readonly FailureGroup[];
  id: string;
  whole: boolean;
}) {
  if (groups.length === 0) return <None />;
  return (
    <DataTable
      label="Failure groups"
      class="failure-list"
      rows={groups}
      columns={whole ? COLUMNS : COLUMNS.map(({ sort: _sort, ...column }) => column)}
      keyOf={(group) => group.id}
      href={(group) => buildGroupHref(group.id)}
      sorted="Last"
      chosen={{ key: id, choose: (key) => navigate(buildGroupHref(key), { replace: id !== "" }) }}
    />
  );
}

function None() {
  const { search } = appLocation.value;
  const isNarrowed = Boolean(search.get("q") || search.get("state"));
  return (
    <EmptyState icon="okc" title={isNarrowed ? "No matching failures" : "No failures to review"}>
      <p>
        {isNarrowed
          ? "No failure group in this time range matches the filter."
          : "Either there were no failures in this time range, or every failure is filed or ignored."}
      </p>
      <div class="row">
        <button class="btn" type="button" onClick={() => setSearchParameters({ q: undefined, state: "all" }, false)}>
          Show all
        </button>
      </div>
    </EmptyState>
  );
}

const COLUMNS: Column<FailureGroup>[] = [
  { name: "State", class: "c-state l2", cell: ({ state }) => <FailureStateBadge state={state} /> },
  {
    name: "Failure",
    class: "wide c-what",
    cell: (group, link) => (
      <span class="failure-name">
        <a class="name cut" href={buildGroupHref(group.id)} title={group.message} {...link}>
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
    cell: ({ days, state }) => (
      <DailyFailuresChart days={days} shown={DAYS} recent={state === "new" || state === "back"} />
    ),
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
    cell: ({ firstAt }) => <Age at={firstAt} />,
  },
  {
    name: "Last",
    class: "num dim m2",
    label: "last",
    sort: ({ lastAt }) => lastAt,
    cell: ({ lastAt }) => <Age at={lastAt} />,
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

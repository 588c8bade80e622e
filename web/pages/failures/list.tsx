import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Empty } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { navigate, place, setSearch } from "../../shell/router.ts";
import { Days, type Group, StateOfGroup } from "./marks.tsx";

/** Days of the course that a row shows. */
const DAYS = 14;

/** The address of a group, beside the list as it is. */
export const groupHref = (id: string): string => `${id ? `/failures/${id}` : "/failures"}${location.search}`;

/** The groups, one a row. */
export function List({ groups, id, whole }: { groups: readonly Group[]; id: string; whole: boolean }) {
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

import type { IssueRowFragment } from "../../data/documents.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Age } from "../../parts/time/time.tsx";
import { LabelBadge, PriorityBadge, StateBadge } from "./marks.tsx";
import { toAppPath } from "./path.ts";

const COLUMNS: Column<IssueRowFragment>[] = [
  {
    name: "ID",
    class: "mid l2",
    sort: ({ identifier }) => identifier,
    cell: ({ identifier }) => <span class="mono">{identifier}</span>,
  },
  {
    name: "Issue",
    class: "wide grows",
    cell: ({ title, url, labels }, link) => (
      <span class="row">
        <a class="name cut" href={toAppPath(url)} title={title} {...link}>
          <bdi>{title}</bdi>
        </a>
        {labels.nodes.map((label) => (
          <LabelBadge key={label.id} label={label} class="only-wide" />
        ))}
      </span>
    ),
  },
  { name: "State", class: "r2", sort: ({ state }) => state.name, cell: ({ state }) => <StateBadge state={state} /> },
  {
    name: "Priority",
    class: "only-wide",
    sort: ({ priority }) => (priority === 0 ? -5 : -priority),
    cell: ({ priority, priorityLabel }) => <PriorityBadge priority={priority} label={priorityLabel} />,
  },
  {
    name: "Assignee",
    class: "only-wide",
    sort: ({ assignee }) => assignee?.name ?? "",
    cell: ({ assignee }) =>
      assignee ? (
        <span class="row who">
          <Avatar name={assignee.name} />
          <bdi class="cut">{assignee.name}</bdi>
        </span>
      ) : (
        <span class="dim">–</span>
      ),
  },
  {
    name: "Updated",
    class: "num dim l3",
    sort: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Age at={updatedAt} />,
  },
];

export const IssueTable = ({ issues, label = "Issues" }: { issues: readonly IssueRowFragment[]; label?: string }) => (
  <DataTable
    label={label}
    class="il"
    rows={issues}
    columns={COLUMNS}
    keyOf={({ id }) => id}
    href={({ url }) => toAppPath(url)}
  />
);

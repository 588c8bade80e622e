import type { ComponentChildren } from "preact";
import type { IssueGroupBy } from "../../../data/documents.ts";
import { Icon } from "../../../parts/icon.tsx";
import { readHistoryState, useHistoryState } from "../../../shell/kept.ts";
import { openNewIssue } from "../../../shell/new-issue-state.ts";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import { buildGroupFilter, type IssueGroup, type IssueGroups } from "./groups.tsx";
import { buildGroupDraft } from "./new-in-group.ts";
import { ISSUE_COLUMN_COUNT, type IssueListQuery, PagedIssueRows } from "./rows.tsx";
import { readSortName } from "./sort.ts";

interface ListProps extends IssueListQuery {
  groups: IssueGroups;
  by: IssueGroupBy | undefined;
}

/** Number of groups that are open at first. Each open group needs a request. */
const OPEN_FIRST = 8;

/** Issues that match a filter, in groups that fold. */
export const IssueList = ({ groups: { groups, total }, by, ...list }: ListProps) => (
  <IssueTableFrame total={total} sorts>
    {by ? (
      groups.map((group, at) => <GroupRows key={group.key} group={group} by={by} at={at} {...list} />)
    ) : (
      <tbody role="rowgroup">
        <Whole {...list} total={total} />
      </tbody>
    )}
  </IssueTableFrame>
);

interface FrameProps {
  total: number;
  /** True if the column heads sort the table. */
  sorts: boolean;
  children: ComponentChildren;
}

/** Table of issues: the column heads around the given rows. */
export const IssueTableFrame = ({ total, sorts, children }: FrameProps) => (
  <table class="tbl issue-list" role="table" aria-label="Issues" aria-rowcount={total}>
    <thead role="rowgroup">
      <tr role="row">
        <Head class="c-check" name="Select" quiet />
        <Head class="c-priority" name="Priority" quiet />
        <Head class="c-id" name="ID" />
        <Head class="c-title" name="Issue" {...(sorts && { sort: "title", usual: "up" })} />
        <Head class="c-labels" name="Labels" />
        <Head class="c-holder" name="Holder" />
        <Head class="c-course" name="Activity" />
        <Head class="c-proof" name="Proof" />
        <Head class="c-who" name="Assignee" />
        <Head class="c-when num" name="Updated" {...(sorts && { sort: "updated" })} />
      </tr>
    </thead>
    {children}
  </table>
);

interface HeadProps {
  class: string;
  name: string;
  /** True if only screen readers read the name. */
  quiet?: boolean;
  /** Name of the order that a press on the head sets. `usual` is `up` if this order is ascending by default. */
  sort?: string;
  usual?: "up";
}

/** Column head. A second press on a sorting head reverses the order. */
function Head({ class: more, name, quiet, sort, usual }: HeadProps) {
  const shown = readSortName(appLocation.value.search);
  const here = sort !== undefined && shown.replace(/\.up$/, "") === sort;
  const up = shown.endsWith(".up") !== (usual === "up");
  const order = here ? (up ? "ascending" : "descending") : "none";
  return (
    <th role="columnheader" class={more} aria-sort={sort ? order : undefined}>
      {sort ? (
        <button
          type="button"
          onClick={() => setSearchParameters({ sort: shown === sort ? `${sort}.up` : sort }, false)}
        >
          {name}
          {here && <Icon name={up ? "up" : "dn"} class="i-14" />}
        </button>
      ) : (
        <span class={quiet ? "sr" : undefined}>{name}</span>
      )}
    </th>
  );
}

function Whole({ total, ...list }: IssueListQuery & { total: number }) {
  const [pages, setPages] = useHistoryState("pages", 1);
  return <PagedIssueRows {...list} pages={pages} more={() => setPages(pages + 1)} expected={total} />;
}

/** Group of issues: the head, and the issues while the group is open. */
function GroupRows({
  group,
  by,
  at,
  filter,
  ...list
}: IssueListQuery & { group: IssueGroup; by: IssueGroupBy; at: number }) {
  const { key, name, project, count, icon } = group;
  const [open, setOpen] = useHistoryState(`open ${by} ${key}`, at < OPEN_FIRST);
  const [pages, setPages] = useHistoryState(`pages ${by} ${key}`, 1);
  return (
    <tbody role="rowgroup">
      <tr role="row" class="group">
        <th role="rowheader" scope="rowgroup" colSpan={ISSUE_COLUMN_COUNT}>
          <span class="row">
            <button
              class="fold-group"
              type="button"
              aria-expanded={open}
              aria-label={`${[name, project].filter(Boolean).join(" of ")}, ${count}`}
              onClick={() => setOpen(!open)}
            >
              <Icon name="right" class="i-14" />
            </button>
            {icon}
            <b class="cut">
              <bdi>{name}</bdi>
            </b>
            {project && <bdi class="mid cut">{project}</bdi>}
            <span class="dim">{count.toLocaleString()}</span>
            <button
              class="btn quiet sq to-right"
              type="button"
              aria-label={`New issue in ${name}`}
              onClick={() => openNewIssue(buildGroupDraft(by, key))}
            >
              <Icon name="plus" class="i-14" />
            </button>
          </span>
        </th>
      </tr>
      {open && (
        <PagedIssueRows
          {...list}
          filter={{ and: [filter, buildGroupFilter(by, key)] }}
          pages={pages}
          more={() => setPages(pages + 1)}
          expected={count}
        />
      )}
    </tbody>
  );
}

/** Returns the id of the row at which the cursor was when the user left the page. */
export const readStoredCursorId = (): string => String(readHistoryState().get("cursor") ?? "");

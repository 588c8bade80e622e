import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type IssueFilter, IssuePage, type IssueSortInput } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { ActivityChart, Avatar } from "../../../parts/marks.tsx";
import { LoadError } from "../../../parts/states.tsx";
import { formatCountdown } from "../../../parts/texts/format.ts";
import { Age, currentTime } from "../../../parts/time/time.tsx";
import { LabelBadge, PriorityIcon, ProofVerdictBadge, StateIcon } from "../marks.tsx";
import { toAppPath } from "../path.ts";
import type { IssueRow } from "./row-type.ts";
import { type IssueSelection, toggleIssueSelected } from "./selection.ts";

/** Number of issues per page. */
const PAGE = 50;

/** Number of columns, for rows that span all columns. */
export const ISSUE_COLUMN_COUNT = 10;

/** Filter, order and selection of a list. */
export interface IssueListQuery {
  filter: IssueFilter;
  sort: readonly IssueSortInput[];
  selection: IssueSelection;
  /** Grows whenever the list must be read again. */
  version: number;
}

interface PagesProps extends IssueListQuery {
  /** Number of pages shown. */
  pages: number;
  more: () => void;
  after?: string | null;
  /** Known number of issues. Empty rows reserve the space until the page is read. */
  expected: number;
}

/** Issues of a filter, page by page. A button reads the next page. */
export function PagedIssueRows({ pages, more, after = null, expected, ...list }: PagesProps) {
  const { filter, sort, version, selection } = list;
  const { data, error, reload } = useQuery(IssuePage, { filter, sort, first: PAGE, after });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  const page = data?.issues;
  if (!page) {
    return (
      <tr key="unread" role="row" class="unread">
        <td role="cell" colSpan={ISSUE_COLUMN_COUNT} style={{ height: `${37 * Math.min(PAGE, expected) - 1}px` }}>
          {error && <LoadError words={error.message} retry={reload} />}
        </td>
      </tr>
    );
  }
  return (
    <>
      {page.nodes.map((issue) => (
        <IssueTableRow key={issue.id} issue={issue} selection={selection} />
      ))}
      {page.pageInfo.hasNextPage &&
        (pages > 1 ? (
          <PagedIssueRows
            {...list}
            pages={pages - 1}
            more={more}
            after={page.pageInfo.endCursor}
            expected={expected - page.nodes.length}
          />
        ) : (
          <tr key="more" role="row" class="more">
            <td role="cell" colSpan={ISSUE_COLUMN_COUNT}>
              <button class="btn quiet" type="button" onClick={more}>
                Show {Math.min(PAGE, expected - page.nodes.length) || PAGE} more
              </button>
            </td>
          </tr>
        ))}
    </>
  );
}

export function IssueTableRow({ issue, selection }: { issue: IssueRow; selection: IssueSelection }) {
  const { id, identifier, title, url, priority, priorityLabel, state, labels, lease, assignee } = issue;
  const here = useComputed(() => selection.cursor.value === id).value;
  const chosen = useComputed(() => selection.chosen.value.has(id)).value;
  selection.rows.set(id, issue);
  return (
    <tr
      role="row"
      class={chosen ? "on" : undefined}
      aria-selected={here}
      data-id={id}
      onClick={() => {
        selection.cursor.value = id;
      }}
    >
      <td role="cell" class="c-check">
        <input
          class="check"
          type="checkbox"
          aria-label={`Select ${identifier}`}
          checked={chosen}
          onChange={() => toggleIssueSelected(selection, id)}
        />
      </td>
      <td role="cell" class="c-priority" title={priorityLabel}>
        <PriorityIcon priority={priority} />
        <span class="sr">{priorityLabel}</span>
      </td>
      <td role="cell" class="c-id mono">
        {identifier}
      </td>
      <td role="cell" class="c-title">
        <span class="row">
          <StateIcon state={state} />
          <span class="sr">{state.name}</span>
          <a class="cut" href={toAppPath(url)} title={title} data-row={id} tabIndex={here ? 0 : -1}>
            <bdi>{title}</bdi>
          </a>
          {issue.blocked && (
            <span class="dim row few">
              <Icon name="block" class="i-14" />
              blocked
            </span>
          )}
        </span>
      </td>
      <td role="cell" class="c-labels">
        <span class="labels">
          {labels.nodes.map((label) => (
            <LabelBadge key={label.id} label={label} />
          ))}
        </span>
      </td>
      <td role="cell" class="c-holder">
        {lease && <LeaseHolder lease={lease} />}
      </td>
      <td role="cell" class="c-course">
        <LatestSessionActivity issue={issue} />
      </td>
      <td role="cell" class="c-proof">
        {issue.proof && <ProofVerdictBadge verdict={issue.proof.verdict} />}
      </td>
      <td role="cell" class="c-who">
        {assignee ? (
          <span title={assignee.name}>
            <Avatar name={assignee.name} />
            <span class="sr">{assignee.name}</span>
          </span>
        ) : (
          <span class="nobody" title="No assignee">
            <span class="sr">No assignee</span>
          </span>
        )}
      </td>
      <td role="cell" class="c-when num dim">
        <Age at={issue.updatedAt} />
      </td>
    </tr>
  );
}

/** Remaining time below which a lease is highlighted. */
const LATE_MS = 120_000;

/** Holder of an issue, and the remaining time of the lease. */
export function LeaseHolder({ lease: { holder, expiresAt } }: { lease: NonNullable<IssueRow["lease"]> }) {
  const left = Math.max(0, Date.parse(expiresAt) - currentTime.value);
  return (
    <span
      class={left < LATE_MS ? "holder late" : "holder"}
      title={`Claimed by ${holder.name}, lease expires in ${formatCountdown(left)}`}
    >
      <Icon name="lock" class="i-14" />
      <Avatar name={holder.name} bot={holder.app} />
      <span class="mono" aria-hidden="true">
        {formatCountdown(left)}
      </span>
      <span class="sr">
        claimed by {holder.name}, lease expires in {formatCountdown(left)}
      </span>
    </span>
  );
}

/** Activity chart of the newest session that is linked to an issue. */
export function LatestSessionActivity({ issue }: { issue: IssueRow }) {
  const session = issue.sessionLinks?.nodes[0]?.session;
  if (!session) return null;
  return <ActivityChart course={session.brief.course} live={session.brief.open} failures={session.totals.failures} />;
}

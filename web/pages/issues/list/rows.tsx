import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type IssueFilter, IssuePage, type IssueSortInput } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar, Course } from "../../../parts/marks.tsx";
import { Failure } from "../../../parts/states.tsx";
import { countdown } from "../../../parts/texts/format.ts";
import { Ago, now } from "../../../parts/time/time.tsx";
import { LabelMark, PriorityIcon, ProofMark, StateIcon } from "../marks.tsx";
import { pathOf } from "../path.ts";
import type { IssueRow } from "./row-type.ts";
import { type Selection, toggle } from "./selection.ts";

/** Issues read at once. */
const PAGE = 50;

/** The number of columns, for rows that go over all of them. */
export const COLUMNS = 10;

/** The query of a list, and its selection. */
export interface Listed {
  filter: IssueFilter;
  sort: readonly IssueSortInput[];
  selection: Selection;
  /** Counts up when the list is to be read again. */
  version: number;
}

interface PagesProps extends Listed {
  /** The number of pages shown. */
  pages: number;
  more: () => void;
  after?: string | null;
  /** The number of issues, as far as is known: the place for them is kept. */
  expected: number;
}

/** The issues of a filter, a page and the next ones once they are asked for. */
export function Pages({ pages, more, after = null, expected, ...list }: PagesProps) {
  const { filter, sort, version, selection } = list;
  const { data, error, reload } = useQuery(IssuePage, { filter, sort, first: PAGE, after });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  const page = data?.issues;
  if (!page) {
    return (
      <tr key="unread" role="row" class="unread">
        <td role="cell" colSpan={COLUMNS} style={{ height: `${37 * Math.min(PAGE, expected) - 1}px` }}>
          {error && <Failure words={error.message} retry={reload} />}
        </td>
      </tr>
    );
  }
  return (
    <>
      {page.nodes.map((issue) => (
        <Row key={issue.id} issue={issue} selection={selection} />
      ))}
      {page.pageInfo.hasNextPage &&
        (pages > 1 ? (
          <Pages
            {...list}
            pages={pages - 1}
            more={more}
            after={page.pageInfo.endCursor}
            expected={expected - page.nodes.length}
          />
        ) : (
          <tr key="more" role="row" class="more">
            <td role="cell" colSpan={COLUMNS}>
              <button class="btn quiet" type="button" onClick={more}>
                Show {Math.min(PAGE, expected - page.nodes.length) || PAGE} more
              </button>
            </td>
          </tr>
        ))}
    </>
  );
}

/** An issue. */
export function Row({ issue, selection }: { issue: IssueRow; selection: Selection }) {
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
          onChange={() => toggle(selection, id)}
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
          <a class="cut" href={pathOf(url)} title={title} data-row={id} tabIndex={here ? 0 : -1}>
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
            <LabelMark key={label.id} label={label} />
          ))}
        </span>
      </td>
      <td role="cell" class="c-holder">
        {lease && <Holder lease={lease} />}
      </td>
      <td role="cell" class="c-course">
        <NewestCourse issue={issue} />
      </td>
      <td role="cell" class="c-proof">
        {issue.proof && <ProofMark verdict={issue.proof.verdict} />}
      </td>
      <td role="cell" class="c-who">
        {assignee ? (
          <span title={assignee.name}>
            <Avatar name={assignee.name} />
            <span class="sr">{assignee.name}</span>
          </span>
        ) : (
          <span class="nobody" title="Nobody">
            <span class="sr">Nobody</span>
          </span>
        )}
      </td>
      <td role="cell" class="c-when num dim">
        <Ago at={issue.updatedAt} />
      </td>
    </tr>
  );
}

/** A lease that ends so soon stands out. */
const LATE_MS = 120_000;

/** The holder of an issue, and the time that is left. */
export function Holder({ lease: { holder, expiresAt } }: { lease: NonNullable<IssueRow["lease"]> }) {
  const left = Math.max(0, Date.parse(expiresAt) - now.value);
  return (
    <span class={left < LATE_MS ? "holder late" : "holder"} title={`${holder.name} holds it, ${countdown(left)} left`}>
      <Icon name="lock" class="i-14" />
      <Avatar name={holder.name} bot={holder.app} />
      <span class="mono" aria-hidden="true">
        {countdown(left)}
      </span>
      <span class="sr">
        held by {holder.name}, {countdown(left)} left
      </span>
    </span>
  );
}

/** The course of the newest session that has to do with an issue. */
export function NewestCourse({ issue }: { issue: IssueRow }) {
  const session = issue.sessionLinks?.nodes[0]?.session;
  if (!session) return null;
  return <Course course={session.brief.course} live={session.brief.open} failures={session.totals.failures} />;
}

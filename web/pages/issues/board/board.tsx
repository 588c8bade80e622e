import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  type IssueFilter,
  type IssueGroupBy,
  IssuePage,
  type IssueSortInput,
  type StatesQuery,
} from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { markRowsMoving } from "../../../parts/lists/moving.ts";
import { LoadError } from "../../../parts/states.tsx";
import { showToast } from "../../../parts/toast.tsx";
import { useHistoryState } from "../../../shell/kept.ts";
import { openNewIssue } from "../../../shell/new-issue-state.ts";
import { changeIssues } from "../list/change.ts";
import {
  buildGroupFilter,
  buildGroupMoveInput,
  buildUndoMoveInput,
  findGroupKey,
  type IssueGroup,
} from "../list/groups.tsx";
import { buildGroupDraft } from "../list/new-in-group.ts";
import type { IssueRow } from "../list/row-type.ts";
import type { IssueSelection } from "../list/selection.ts";
import { IssueCard } from "./card.tsx";
import { useDropColumn, useDropMonitor } from "./drag.ts";
import { useBoardShortcuts } from "./keys.ts";

/** Number of cards of a column that are read at first, and that each press of “Show more” adds. */
const PAGE = 25;

export interface BoardProps {
  groups: readonly IssueGroup[];
  by: IssueGroupBy;
  filter: IssueFilter;
  sort: readonly IssueSortInput[];
  states: StatesQuery["workflowStates"]["nodes"];
  selection: IssueSelection;
  version: number;
  /** Reads all columns again. */
  reload: () => void;
}

/** Cards that the user moved since the board was last read: the issue, and the key of the new group. */
type MovedCards = ReadonlyMap<string, { issue: IssueRow; to: string | null }>;

/**
 * Board of issues with one column per group. The user moves a card with a pointer, or with Shift and the arrow keys.
 */
export function IssueBoard({ groups, by, states, reload, ...list }: BoardProps) {
  const moved = useSignal<MovedCards>(new Map());
  useEffect(() => {
    moved.value = new Map();
  }, [list.version]);
  const move = (issue: IssueRow, group: IssueGroup) => {
    if (findGroupKey(by, issue) === group.key) return;
    const input = buildGroupMoveInput(by, group.key, issue, states);
    if (!input)
      return showToast(
        `Cannot move ${issue.identifier} to ${group.name}: the team of the issue does not have ${group.name}.`,
      );
    moved.value = new Map([...moved.peek(), [issue.id, { issue, to: group.key }]]);
    const change = { words: `moved to ${group.name}`, change: () => input, back: () => buildUndoMoveInput(by, issue) };
    changeIssues([issue], change, reload).catch((error: Error) => {
      moved.value = new Map([...moved.peek()].filter(([id]) => id !== issue.id));
      showToast(error.message);
    });
  };
  useDropMonitor((id, key) => {
    const [issue, group] = [list.selection.rows.get(id), groups.find((each) => each.key === key)];
    if (issue && group) move(issue, group);
  });
  useBoardShortcuts({ selection: list.selection, groups, by, move });
  return (
    <section class="board" aria-label="Board of issues">
      {groups.map((group) => (
        <Column key={group.key} group={group} by={by} moved={moved.value} {...list} />
      ))}
    </section>
  );
}

type ColumnProps = Omit<BoardProps, "groups" | "states" | "reload"> & { group: IssueGroup; moved: MovedCards };

function Column({ group, by, filter, sort, selection, version, moved }: ColumnProps) {
  const { key, name, count, icon } = group;
  const [pages, setPages] = useHistoryState(`cards ${by} ${key}`, 1);
  const { data, error, reload } = useQuery(IssuePage, {
    filter: { and: [filter, buildGroupFilter(by, key)] },
    sort,
    first: PAGE * pages,
    after: null,
  });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  const { target, over } = useDropColumn(key);
  const read = data?.issues.nodes ?? [];
  const come = [...moved.values()].filter(({ issue, to }) => to === key && !read.some(({ id }) => id === issue.id));
  const cards = [...come.map(({ issue }) => issue), ...read.filter(({ id }) => (moved.get(id)?.to ?? key) === key)];
  const shown = count + come.length - (read.length - cards.length + come.length);
  return (
    <section class={over ? "lane over" : "lane"} aria-label={name} ref={target} data-group={key ?? ""}>
      <header>
        {icon}
        <h2 class="cut">
          <bdi>{name}</bdi>
        </h2>
        <span class="dim">{Math.max(shown, 0).toLocaleString()}</span>
        <button
          class="btn quiet sq to-right"
          type="button"
          aria-label={`New issue in ${name}`}
          onClick={() => openNewIssue(buildGroupDraft(by, key))}
        >
          <Icon name="plus" class="i-14" />
        </button>
      </header>
      <div class="cards" onScroll={markRowsMoving}>
        <ul aria-label={`${name}, ${Math.max(shown, 0)} issues`}>
          {cards.map((issue) => (
            <IssueCard key={issue.id} issue={issue} selection={selection} />
          ))}
          {!data && error && <LoadError words={error.message} retry={reload} />}
          {data?.issues.pageInfo.hasNextPage && (
            <li class="more">
              {PAGE * pages < 250 ? (
                <button class="btn quiet" type="button" onClick={() => setPages(pages + 1)}>
                  Show more
                </button>
              ) : (
                <span class="dim">Use a filter to see the remaining issues.</span>
              )}
            </li>
          )}
        </ul>
      </div>
    </section>
  );
}

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
import { markMoving } from "../../../parts/lists/moving.ts";
import { Failure } from "../../../parts/states.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useKept } from "../../../shell/kept.ts";
import { openNewIssue } from "../../../shell/new-issue-state.ts";
import { changeIssues } from "../list/change.ts";
import { filterOfGroup, type Group, groupOf, moveTo, setBack } from "../list/groups.tsx";
import { draftIn } from "../list/new-in-group.ts";
import type { IssueRow } from "../list/row-type.ts";
import type { Selection } from "../list/selection.ts";
import { Card } from "./card.tsx";
import { useMonitor, useTarget } from "./drag.ts";
import { useBoardKeys } from "./keys.ts";

/** Cards of a column that are read at once. */
const PAGE = 25;

export interface BoardProps {
  groups: readonly Group[];
  by: IssueGroupBy;
  filter: IssueFilter;
  sort: readonly IssueSortInput[];
  states: StatesQuery["workflowStates"]["nodes"];
  selection: Selection;
  version: number;
  /** Has everything read again. */
  reload: () => void;
}

/** Cards that were moved and are not read again yet: the group that each is in now, and the issue. */
type Moved = ReadonlyMap<string, { issue: IssueRow; to: string | null }>;

/** The issues of a filter as cards, a column a group. A card is moved by a pointer, or by Shift and the arrows. */
export function Board({ groups, by, states, reload, ...list }: BoardProps) {
  const moved = useSignal<Moved>(new Map());
  useEffect(() => {
    moved.value = new Map();
  }, [list.version]);
  const move = (issue: IssueRow, group: Group) => {
    if (groupOf(by, issue) === group.key) return;
    const input = moveTo(by, group.key, issue, states);
    if (!input) return toast(`${issue.identifier} cannot be in ${group.name}: its team has no such value.`);
    moved.value = new Map([...moved.peek(), [issue.id, { issue, to: group.key }]]);
    const change = { words: `moved to ${group.name}`, change: () => input, back: () => setBack(by, issue) };
    changeIssues([issue], change, reload).catch((error: Error) => {
      moved.value = new Map([...moved.peek()].filter(([id]) => id !== issue.id));
      toast(error.message);
    });
  };
  useMonitor((id, key) => {
    const [issue, group] = [list.selection.rows.get(id), groups.find((each) => each.key === key)];
    if (issue && group) move(issue, group);
  });
  useBoardKeys({ selection: list.selection, groups, by, move });
  return (
    <section class="board" aria-label="Board of issues">
      {groups.map((group) => (
        <Column key={group.key} group={group} by={by} moved={moved.value} {...list} />
      ))}
    </section>
  );
}

type ColumnProps = Omit<BoardProps, "groups" | "states" | "reload"> & { group: Group; moved: Moved };

function Column({ group, by, filter, sort, selection, version, moved }: ColumnProps) {
  const { key, name, count, icon } = group;
  const [pages, setPages] = useKept(`cards ${by} ${key}`, 1);
  const { data, error, reload } = useQuery(IssuePage, {
    filter: { and: [filter, filterOfGroup(by, key)] },
    sort,
    first: PAGE * pages,
    after: null,
  });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  const { target, over } = useTarget(key);
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
          onClick={() => openNewIssue(draftIn(by, key))}
        >
          <Icon name="plus" class="i-14" />
        </button>
      </header>
      <div class="cards" onScroll={markMoving}>
        <ul aria-label={`${name}, ${Math.max(shown, 0)} issues`}>
          {cards.map((issue) => (
            <Card key={issue.id} issue={issue} selection={selection} />
          ))}
          {!data && error && <Failure words={error.message} retry={reload} />}
          {data?.issues.pageInfo.hasNextPage && (
            <li class="more">
              {PAGE * pages < 250 ? (
                <button class="btn quiet" type="button" onClick={() => setPages(pages + 1)}>
                  Show more
                </button>
              ) : (
                <span class="dim">Filter to see the others.</span>
              )}
            </li>
          )}
        </ul>
      </div>
    </section>
  );
}

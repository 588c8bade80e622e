import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { FoundIssues, type IssueFilter, type IssueGroupBy } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { markMoving } from "../../parts/lists/moving.ts";
import { Empty } from "../../parts/states.tsx";
import { plural } from "../../parts/texts/format.ts";
import { useKeys } from "../../shell/keys.ts";
import { openNewIssue } from "../../shell/new-issue-state.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place } from "../../shell/router.ts";
import { useViews, ViewChoice } from "../../shell/saved-views.tsx";
import { Board } from "./board/board.tsx";
import { conditionsOf, filterOf, WORDS } from "./filter/address.ts";
import { Chips } from "./filter/chips.tsx";
import { FilterField } from "./filter/filter-field.tsx";
import { Actions } from "./list/actions.tsx";
import { Display, Layouts, type Shown, shownOf, turnBoard } from "./list/display.tsx";
import { GROUPINGS, type Groups, useGroups } from "./list/groups.tsx";
import { useListKeys } from "./list/keys.ts";
import { IssueFrame, IssueList, keptCursor } from "./list/list.tsx";
import { Row } from "./list/rows.tsx";
import { newSelection, type Selection } from "./list/selection.ts";
import { sortOf } from "./list/sort.ts";
import { useTrail } from "./list/trail.tsx";
import { SaveButton, ViewActions } from "./views.tsx";

/** Issues that a search shows. */
const FOUND = 50;

/** The issues of the organization: those that the address asks for, as a list or as a board. */
export default function IssuesPage() {
  const { path, search } = place.value;
  useEffect(() => {
    if (path !== "/issues/new") return;
    openNewIssue();
    navigate("/issues", { replace: true });
  }, [path]);
  const { views } = useViews();
  const viewId = search.get("view");
  const view = views?.find(({ id }) => id === viewId);
  const words = search.get(WORDS) ?? "";
  const asked = shownOf(search);
  // A search gives its own order: the best match first.
  const shown = words ? { board: false, by: undefined } : asked;
  const filter = filterOf(search, { view: view?.filterData, closed: shown.board });
  const openOnly = !view && !shown.board && !conditionsOf(search).some(({ name }) => name === "state");
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeys({ "/": find, f: find, B: turnBoard });
  return (
    <Page title={view?.name ?? "Issues"} fixed keys={KEYS}>
      <header class="head">
        <h1 class="cut">{view ? <bdi>{view.name}</bdi> : "Issues"}</h1>
        <div class="acts">
          <Layouts board={shown.board} />
          <Display shown={asked} />
          {view ? <ViewActions view={view} /> : !viewId && !words && <SaveButton filter={filter} />}
          <button class="btn pri" type="button" aria-label="New issue" onClick={() => openNewIssue()}>
            <Icon name="plus" class="i-14" />
            <span class="only-wide">New issue</span>
          </button>
        </div>
      </header>
      {viewId && !view ? views && <NoView /> : <Content {...{ filter, shown, words, openOnly, field }} />}
    </Page>
  );
}

interface ContentProps {
  filter: IssueFilter;
  shown: Shown;
  words: string;
  /** Closed issues are left out without anybody having said so. */
  openOnly: boolean;
  field: RefObject<HTMLInputElement | null>;
}

/** The filters, and the issues that pass them. */
function Content({ filter, shown, words, openOnly, field }: ContentProps) {
  const { search } = place.value;
  const teams = conditionsOf(search).flatMap(({ name, value, not }) =>
    name === "team" && !not ? [value.toUpperCase()] : [],
  );
  const { groups, states, error, reload } = useGroups({ filter, by: shown.by, empty: shown.board, teams });
  const [version, again] = useReading(reload);
  const wanted = { filter, by: shown.by, board: shown.board, sort: sortOf(search), groups };
  // The list before stays until the answer for the next one is there.
  const last = useRef<typeof wanted | undefined>(undefined);
  if (groups) last.current = wanted;
  const view = last.current;
  const key = JSON.stringify([view?.filter, view?.by, view?.board, words]);
  const selection = useMemo(() => newSelection(keptCursor()), [key]);
  const body = useRef<HTMLDivElement>(null);
  useListKeys(body, selection);
  useTrail(body, selection);
  const list = { selection, version };
  return (
    <>
      <div class="filters" role="search" aria-label="Filter issues">
        <FilterField field={field} filter={filter} />
        <Chips openOnly={openOnly} />
        <ViewChoice />
        {!words && (
          <span class="sum" role="status">
            {groups && sumOf(groups, shown.by)}
          </span>
        )}
      </div>
      <div class={view?.board && !words ? "contents" : "scroll"} ref={body} onScroll={markMoving}>
        {words ? (
          <Found term={words} filter={filter} {...list} />
        ) : (
          <Loaded data={view?.groups && view} error={error} retry={reload}>
            {({ groups: found, board, ...read }) =>
              board && read.by && found ? (
                <Board
                  key={key}
                  {...read}
                  by={read.by}
                  {...list}
                  groups={found.groups}
                  states={states}
                  reload={again}
                />
              ) : found?.total === 0 ? (
                <None filtered={search.size > 0} />
              ) : (
                found && <IssueList key={key} {...read} {...list} groups={found} />
              )
            }
          </Loaded>
        )}
      </div>
      <Actions key={key} selection={selection} states={states} reload={again} />
    </>
  );
}

/** The list is read again at most so often while issues change. */
const PAUSE_MS = 1_000;

/** A number that counts up whenever the list is to be read again, and what has it read at once. */
function useReading(reload: () => void): [version: number, again: () => void] {
  const [version, setVersion] = useState(0);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(reload);
  latest.current = reload;
  const again = () => {
    latest.current();
    setVersion((n) => n + 1);
  };
  const soon = () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      again();
    }, PAUSE_MS);
  };
  useEffect(() => () => clearTimeout(waiting.current), []);
  useChanges(({ type }) => /^(Issue|WorkflowState|IssueLabel|User|IssueRelation)$/.test(type), soon, "issues");
  return [version, again];
}

/** The number of issues in words, and of groups where not all of them are shown. */
function sumOf({ total, groups, groupCount }: Groups, by: IssueGroupBy | undefined): string {
  const name = GROUPINGS.find(([each]) => each === by)?.[1] ?? "group";
  const sum = plural(total, "issue");
  if (groupCount <= groups.length) return sum;
  return `${sum}: ${groups.length} of ${plural(groupCount, name.toLowerCase())} shown, filter to see the others`;
}

interface FoundProps {
  term: string;
  filter: IssueFilter;
  selection: Selection;
  version: number;
}

/** The issues that have the words, the best match first. */
function Found({ term, filter, selection, version }: FoundProps) {
  const { data, error, reload } = useQuery(FoundIssues, { term, filter, first: FOUND });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  return (
    <Loaded data={data?.searchIssues} error={error} retry={reload}>
      {({ nodes, pageInfo, unmatchedWords }) =>
        nodes.length === 0 ? (
          <None filtered unmatched={unmatchedWords ?? []} />
        ) : (
          <>
            <IssueFrame total={nodes.length} sorts={false}>
              <tbody role="rowgroup">
                {nodes.map((issue) => (
                  <Row key={issue.id} issue={issue} selection={selection} />
                ))}
              </tbody>
            </IssueFrame>
            <p class="pad dim" role="status">
              {plural(nodes.length, "issue")}
              {pageInfo.hasNextPage && " that fit best; add words or filters to find others"}
            </p>
          </>
        )
      }
    </Loaded>
  );
}

const None = ({ filtered, unmatched = [] }: { filtered: boolean; unmatched?: readonly string[] }) =>
  filtered ? (
    <Empty icon="filter" title="No issue fits">
      {unmatched.length > 0 && <p>No issue has {unmatched.join(" or ")}.</p>}
      <div class="row">
        <a class="btn" href="/issues?state=all">
          Show all issues
        </a>
      </div>
    </Empty>
  ) : (
    <Empty icon="issues" title="No open issues">
      <p>Press C to file one. Assistants file them over MCP or GraphQL, and a failure of a tool on the tool’s page.</p>
    </Empty>
  );

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["X"], "select"],
  [["F"], "filter"],
  [["C"], "new"],
  [["S"], "state"],
  [["P"], "priority"],
  [["A"], "assign"],
  [["H"], "hand to agent"],
  [["⇧B"], "board"],
];

const NoView = () => (
  <Empty icon="filter" title="This view is not here">
    <p>It was deleted, or is somebody else’s alone.</p>
    <a class="btn" href="/issues">
      To the issues
    </a>
  </Empty>
);

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { FoundIssues, type IssueFilter, type IssueGroupBy } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { markRowsMoving } from "../../parts/lists/moving.ts";
import { EmptyState } from "../../parts/states.tsx";
import { formatPlural } from "../../parts/texts/format.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { openNewIssue } from "../../shell/new-issue-state.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, navigate } from "../../shell/router.ts";
import { SavedViewSelect, useSavedViews } from "../../shell/saved-views.tsx";
import { IssueBoard } from "./board/board.tsx";
import { buildIssueFilter, parseFilterConditions, SEARCH_PARAMETER } from "./filter/address.ts";
import { FilterChips } from "./filter/chips.tsx";
import { FilterField } from "./filter/filter-field.tsx";
import { SelectedIssueActions } from "./list/actions.tsx";
import {
  type DisplayOptions,
  DisplayOptionsButton,
  LayoutButtons,
  readDisplayOptions,
  toggleBoard,
} from "./list/display.tsx";
import { GROUPING_OPTIONS, type IssueGroups, useIssueGroups } from "./list/groups.tsx";
import { useIssueListShortcuts } from "./list/keys.ts";
import { IssueList, IssueTableFrame, readStoredCursorId } from "./list/list.tsx";
import { IssueTableRow } from "./list/rows.tsx";
import { createSelection, type IssueSelection } from "./list/selection.ts";
import { readSort } from "./list/sort.ts";
import { useStoredListOrder } from "./list/trail.tsx";
import { SavedViewActions, SaveViewButton } from "./views.tsx";

/** Maximum number of search results. */
const FOUND = 50;

/** Page of the organization's issues that match the address, as a list or as a board. */
export default function IssuesPage() {
  const { path, search } = appLocation.value;
  useEffect(() => {
    if (path !== "/issues/new") return;
    openNewIssue();
    navigate("/issues", { replace: true });
  }, [path]);
  const { views } = useSavedViews();
  const viewId = search.get("view");
  const view = views?.find(({ id }) => id === viewId);
  const words = search.get(SEARCH_PARAMETER) ?? "";
  const asked = readDisplayOptions(search);
  // Search results keep the server's order: best match first.
  const shown = words ? { board: false, by: undefined } : asked;
  const filter = buildIssueFilter(search, { view: view?.filterData, closed: shown.board });
  const openOnly = !view && !shown.board && !parseFilterConditions(search).some(({ name }) => name === "state");
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeyboardShortcuts({ "/": find, f: find, B: toggleBoard });
  return (
    <Page title={view?.name ?? "Issues"} fixed keys={KEYS}>
      <header class="head">
        <h1 class="cut">{view ? <bdi>{view.name}</bdi> : "Issues"}</h1>
        <div class="acts">
          <LayoutButtons board={shown.board} />
          <DisplayOptionsButton shown={asked} />
          {view ? <SavedViewActions view={view} /> : !viewId && !words && <SaveViewButton filter={filter} />}
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
  shown: DisplayOptions;
  words: string;
  /** True if closed issues are hidden only by default, not by a condition of the user. */
  openOnly: boolean;
  field: RefObject<HTMLInputElement | null>;
}

function Content({ filter, shown, words, openOnly, field }: ContentProps) {
  const { search } = appLocation.value;
  const teams = parseFilterConditions(search).flatMap(({ name, value, not }) =>
    name === "team" && !not ? [value.toUpperCase()] : [],
  );
  const { groups, states, error, reload } = useIssueGroups({ filter, by: shown.by, empty: shown.board, teams });
  const [version, again] = useReading(reload);
  const wanted = { filter, by: shown.by, board: shown.board, sort: readSort(search), groups };
  // Keep showing the previous list until the response for the next filter arrives.
  const last = useRef<typeof wanted | undefined>(undefined);
  if (groups) last.current = wanted;
  const view = last.current;
  const key = JSON.stringify([view?.filter, view?.by, view?.board, words]);
  const selection = useMemo(() => createSelection(readStoredCursorId()), [key]);
  const body = useRef<HTMLDivElement>(null);
  useIssueListShortcuts(body, selection);
  useStoredListOrder(body, selection);
  const list = { selection, version };
  return (
    <>
      <div class="filters" role="search" aria-label="Filter issues">
        <FilterField field={field} filter={filter} />
        <FilterChips openOnly={openOnly} />
        <SavedViewSelect />
        {!words && (
          <span class="sum" role="status">
            {groups && formatIssueCount(groups, shown.by)}
          </span>
        )}
      </div>
      <div class={view?.board && !words ? "contents" : "scroll"} ref={body} onScroll={markRowsMoving}>
        {words ? (
          <Found term={words} filter={filter} {...list} />
        ) : (
          <LoadedContent data={view?.groups && view} error={error} retry={reload}>
            {({ groups: found, board, ...read }) =>
              board && read.by && found ? (
                <IssueBoard
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
          </LoadedContent>
        )}
      </div>
      <SelectedIssueActions key={key} selection={selection} states={states} reload={again} />
    </>
  );
}

/** Shortest pause between two reads of the list while issues change. */
const PAUSE_MS = 1_000;

/** Returns a number that grows whenever the list must be read again, and a function that starts a read immediately. */
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
  useReloadOnChange(({ type }) => /^(Issue|WorkflowState|IssueLabel|User|IssueRelation)$/.test(type), soon, "issues");
  return [version, again];
}

/** Formats the number of issues, and the number of groups if the list shows only some groups. */
function formatIssueCount({ total, groups, groupCount }: IssueGroups, by: IssueGroupBy | undefined): string {
  const name = GROUPING_OPTIONS.find(([each]) => each === by)?.[1] ?? "group";
  const sum = formatPlural(total, "issue");
  if (groupCount <= groups.length) return sum;
  return `${sum}: ${groups.length} of ${formatPlural(groupCount, name.toLowerCase())} shown. Filter to see the others.`;
}

interface FoundProps {
  term: string;
  filter: IssueFilter;
  selection: IssueSelection;
  version: number;
}

function Found({ term, filter, selection, version }: FoundProps) {
  const { data, error, reload } = useQuery(FoundIssues, { term, filter, first: FOUND });
  useEffect(() => {
    if (version > 0) void reload();
  }, [version]);
  return (
    <LoadedContent data={data?.searchIssues} error={error} retry={reload}>
      {({ nodes, pageInfo, unmatchedWords }) =>
        nodes.length === 0 ? (
          <None filtered unmatched={unmatchedWords ?? []} />
        ) : (
          <>
            <IssueTableFrame total={nodes.length} sorts={false}>
              <tbody role="rowgroup">
                {nodes.map((issue) => (
                  <IssueTableRow key={issue.id} issue={issue} selection={selection} />
                ))}
              </tbody>
            </IssueTableFrame>
            <p class="pad dim" role="status">
              {formatPlural(nodes.length, "issue")}
              {pageInfo.hasNextPage && ", the best matches. Add words or filters to find other issues."}
            </p>
          </>
        )
      }
    </LoadedContent>
  );
}

const None = ({ filtered, unmatched = [] }: { filtered: boolean; unmatched?: readonly string[] }) =>
  filtered ? (
    <EmptyState icon="filter" title="No matching issues">
      {unmatched.length > 0 && <p>No issue contains {unmatched.join(" or ")}.</p>}
      <div class="row">
        <a class="btn" href="/issues?state=all">
          Show all issues
        </a>
      </div>
    </EmptyState>
  ) : (
    <EmptyState icon="issues" title="No open issues">
      <p>Press C to create an issue. You can also create an issue from a failure, over MCP or over GraphQL.</p>
    </EmptyState>
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
  <EmptyState icon="filter" title="View not found">
    <p>The view was deleted, or is private to another user.</p>
    <a class="btn" href="/issues">
      Go to issues
    </a>
  </EmptyState>
);

import { useEffect, useRef } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { FoundIssues, type IssueFilter, type IssueRowFragment, Issues } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty } from "../../parts/states.tsx";
import { plural } from "../../parts/texts/format.ts";
import { useKept } from "../../shell/kept.ts";
import { useKeys } from "../../shell/keys.ts";
import { openNewIssue } from "../../shell/new-issue-state.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place, setSearch } from "../../shell/router.ts";
import { useViews, ViewChoice } from "../../shell/saved-views.tsx";
import { IssueTable } from "./table.tsx";
import { SaveButton, ViewActions } from "./views.tsx";

const FIRST = 50;
const MOST = 250;
const OVER = ["completed", "canceled", "duplicate"];
const SHOWN: [value: string, name: string][] = [
  ["", "Open"],
  ["closed", "Closed"],
  ["all", "All"],
];

/** The query for an address. */
function filterOf(search: URLSearchParams): IssueFilter {
  const filter: { -readonly [Name in keyof IssueFilter]: IssueFilter[Name] } = {};
  const state = search.get("state");
  if (state === "closed") filter.state = { type: { in: OVER } };
  else if (state !== "all") filter.state = { type: { nin: OVER } };
  if (search.get("mine")) filter.assignee = { isMe: { eq: true } };
  return filter;
}

/** The issues of the organization, those changed last first. */
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
  const filter: IssueFilter = view ? view.filterData : filterOf(search);
  const [first, setFirst] = useKept("first", FIRST);
  return (
    <Page title="Issues" fixed keys={KEYS}>
      <header class="head">
        <h1 class="cut">{view ? <bdi>{view.name}</bdi> : "Issues"}</h1>
        <div class="acts">
          {view ? <ViewActions view={view} /> : <Segments shown={search.get("state") ?? ""} />}
          {!viewId && !search.get("q") && <SaveButton filter={filter} />}
          <button class="btn pri" type="button" aria-label="New issue" onClick={openNewIssue}>
            <Icon name="plus" class="i-14" />
            <span class="only-wide">New issue</span>
          </button>
        </div>
      </header>
      <Filters search={search} />
      <div class="scroll">
        {viewId && !view ? (
          views && <NoView />
        ) : (
          <List search={search} filter={filter} first={first} more={() => setFirst(MOST)} />
        )}
      </div>
    </Page>
  );
}

/** The words to search for, whose issues, and on a small screen the saved views. */
function Filters({ search }: { search: URLSearchParams }) {
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeys({ "/": find, f: find });
  return (
    <div class="filters" role="search" aria-label="Search issues">
      <label class="find">
        <Icon name="search" class="i-14" />
        <span class="sr">Search issues</span>
        <input
          ref={field}
          placeholder="Words, or ENG-12"
          value={search.get("q") ?? ""}
          onChange={(event) => setSearch({ q: event.currentTarget.value.trim() || undefined }, false)}
          onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
        />
        <kbd class="only-wide">/</kbd>
      </label>
      {!search.get("view") && (
        <button
          class="btn quiet"
          type="button"
          aria-pressed={search.get("mine") !== null}
          onClick={() => setSearch({ mine: search.get("mine") ? undefined : "1" }, false)}
        >
          Assigned to me
        </button>
      )}
      <ViewChoice />
    </div>
  );
}

const Segments = ({ shown }: { shown: string }) => (
  <span class="seg" role="group" aria-label="Issues shown">
    {SHOWN.map(([value, name]) => (
      <button
        key={name}
        type="button"
        aria-pressed={shown === value}
        onClick={() => setSearch({ state: value || undefined }, false)}
      >
        {name}
      </button>
    ))}
  </span>
);

const NoView = () => (
  <Empty icon="filter" title="This view is not here">
    <p>It was deleted, or is somebody else’s alone.</p>
    <a class="btn" href="/issues">
      To the issues
    </a>
  </Empty>
);

/** The issues that the address asks for. */
function List({ search, ...list }: ListProps & { search: URLSearchParams }) {
  const term = search.get("q") ?? "";
  return term ? <Found term={term} {...list} /> : <Latest {...list} filtered={search.toString() !== ""} />;
}

interface ListProps {
  filter: IssueFilter;
  first: number;
  more: () => void;
}

function Found({ term, more, ...variables }: ListProps & { term: string }) {
  const { data, ...rest } = useQuery(FoundIssues, { term, ...variables });
  return <Shown page={data?.searchIssues} {...rest} first={variables.first} more={more} filtered />;
}

function Latest({ filtered, more, ...variables }: ListProps & { filtered: boolean }) {
  const { data, ...rest } = useQuery(Issues, variables);
  return <Shown page={data?.issues} {...rest} first={variables.first} more={more} filtered={filtered} />;
}

interface Listed {
  nodes: readonly IssueRowFragment[];
  pageInfo: { hasNextPage: boolean };
  /** The words of a search that no issue has. */
  unmatchedWords?: readonly string[] | null;
}

interface ShownProps {
  page?: Listed | undefined;
  error?: Error;
  first: number;
  filtered: boolean;
  more: () => void;
  reload: () => void;
}

function Shown({ page, error, first, filtered, more, reload }: ShownProps) {
  const last = useRef(page);
  if (page) last.current = page;
  useChanges(({ type }) => /^(Issue|WorkflowState|IssueLabel|User)$/.test(type), reload, String(first));
  return (
    <Loaded data={last.current} error={error} retry={reload}>
      {({ nodes, pageInfo, unmatchedWords }) =>
        nodes.length === 0 ? (
          <None filtered={filtered} unmatched={unmatchedWords ?? []} />
        ) : (
          <>
            <IssueTable issues={nodes} />
            <More known={nodes.length} further={pageInfo.hasNextPage} most={first >= MOST} more={more} />
          </>
        )
      }
    </Loaded>
  );
}

interface MoreProps {
  known: number;
  further: boolean;
  /** True if as many are shown as can be. */
  most: boolean;
  more: () => void;
}

/** The number shown, and the link to the others. */
const More = ({ known, further, most, more }: MoreProps) => (
  <p class="pad row dim" role="status">
    {plural(known, "issue")}
    {further && !most && (
      <button class="btn" type="button" onClick={more}>
        Show more
      </button>
    )}
    {further && most && " and more: search to find the others"}
  </p>
);

const None = ({ filtered, unmatched }: { filtered: boolean; unmatched: readonly string[] }) =>
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
      <p>Assistants file them over MCP or GraphQL; a failure of a tool can be filed on the tool’s page.</p>
    </Empty>
  );

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["/"], "search"],
  [["C"], "new issue"],
];

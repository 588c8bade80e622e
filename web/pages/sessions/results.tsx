import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import {
  type RecordedSessionFilter,
  SearchSessions,
  type SearchSessionsQuery,
  SessionsById,
} from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { EmptyState, LoadError, LoadingPlaceholder } from "../../parts/states.tsx";
import { formatCount, formatExactTime } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { readHistoryState } from "../../shell/kept.ts";
import { formatSessionTitle } from "./row.tsx";
import { LIST_KEY_STATE_NAME, type SessionList, type SessionRow } from "./store.ts";

type Found = SearchSessionsQuery["recordedSearch"];
type Hit = Found["nodes"][number];

interface Search {
  term: string;
  from: string;
  to: string | undefined;
  filter: RecordedSessionFilter;
}

interface State {
  hits: readonly Hit[];
  titles: ReadonlyMap<string, SessionRow>;
  read: number;
  last?: Found;
  loading: boolean;
  error?: ApiError;
}

const NOTHING: State = { hits: [], titles: new Map(), read: 0, loading: true };

/**
 * Results of a text search: the events of a time range that contain the text. Each request searches a limited number of
 * events. The page shows the progress and a button that continues the search.
 */
export default function EventSearchResults(search: Search) {
  const [state, setState] = useState(NOTHING);
  const abort = useRef(new AbortController());
  const go = (before: State) => {
    const { signal } = abort.current;
    setState({ ...before, loading: true });
    readMore(search, before, signal).then(setState, (error: ApiError) => {
      if (!signal.aborted) setState({ ...before, loading: false, error });
    });
  };
  useEffect(() => {
    abort.current = new AbortController();
    go(NOTHING);
    return () => abort.current.abort();
  }, [JSON.stringify(search)]);
  const { hits, titles, loading, error } = state;
  useTrail(state);
  return (
    <>
      <Progress state={state} more={() => go(state)} />
      {hits.length > 0 && (
        <DataTable
          label="Matching events"
          rows={hits}
          columns={columns(search.term, titles)}
          keyOf={({ eventId }) => eventId}
          href={({ sessionId, eventId }) => `/sessions/${sessionId}/events/${eventId}`}
        />
      )}
      {error && <LoadError words={error.message} retry={() => go(state)} />}
      {loading && <LoadingPlaceholder />}
      {!loading && !error && hits.length === 0 && (
        <EmptyState
          icon="search"
          title={state.last?.stoppedAt ? "No matches so far" : "No matching events in this time range"}
        >
          <p>Trackway searches the names, arguments and results of events, and ignores case.</p>
        </EmptyState>
      )}
    </>
  );
}

/** Stores the found sessions in order, so that the session page links to the next found session. */
function useTrail({ hits, titles }: State): void {
  const memory = readHistoryState();
  useEffect(() => {
    const rows = [...new Set(hits.map(({ sessionId }) => sessionId))].flatMap((id) => titles.get(id) ?? []);
    const list: SessionList = { rows, loading: false, hasMore: false, cursor: null, waiting: [] };
    if (rows.length > 0) memory.set(FOUND, list).set(LIST_KEY_STATE_NAME, FOUND);
  }, [hits]);
}

const FOUND = "found sessions";

async function readMore(search: Search, before: State, signal: AbortSignal): Promise<State> {
  const after = before.last?.endCursor ?? null;
  const { recordedSearch: last } = await requestGraphQL(SearchSessions, { ...search, after }, signal);
  const unknown = [...new Set(last.nodes.map(({ sessionId }) => sessionId))].filter((id) => !before.titles.has(id));
  const named = unknown.length > 0 ? await requestGraphQL(SessionsById, { ids: unknown }, signal) : undefined;
  const titles = new Map(before.titles);
  for (const row of named?.recordedSessions.nodes ?? []) titles.set(row.id, row);
  return { hits: [...before.hits, ...last.nodes], titles, read: before.read + last.read, last, loading: false };
}

/** Progress of the search. */
function Progress({ state: { hits, read, last, loading }, more }: { state: State; more: () => void }) {
  if (!last) return null;
  const found = `${formatCount(hits.length)} ${hits.length === 1 ? "hit" : "hits"} in ${formatCount(read)} ${read === 1 ? "event" : "events"}`;
  const { stoppedAt } = last;
  return (
    <div class="row pad">
      <span role="status">
        {stoppedAt ? (
          <>
            {found}, searched back to <time dateTime={stoppedAt}>{formatExactTime(Date.parse(stoppedAt))}</time>.
          </>
        ) : (
          `${found}, whole time range searched.`
        )}
      </span>
      {stoppedAt && (
        <button class="btn" type="button" onClick={more} disabled={loading} aria-busy={loading}>
          Search further back
        </button>
      )}
    </div>
  );
}

const columns = (text: string, titles: State["titles"]): Column<Hit>[] => [
  {
    name: "Event",
    cell: ({ sessionId, eventId, name, success }, link) => (
      <a class="name cut" href={`/sessions/${sessionId}/events/${eventId}`} {...link}>
        {!success && <Icon name="fail" class="i-14 c-fail" />} <bdi>{name}</bdi>
        {!success && <span class="sr">, failed</span>}
      </a>
    ),
  },
  {
    name: "Text",
    class: "wide l2",
    cell: ({ snippet, field }) => (
      <span
        class="snippet"
        title={`Found in the ${field === "name" ? "name" : field === "args" ? "arguments" : "result"}`}
      >
        <bdi>
          <Marked snippet={snippet} text={text} />
        </bdi>
      </span>
    ),
  },
  {
    name: "Session",
    class: "mid l3",
    cell: ({ sessionId }) => {
      const row = titles.get(sessionId);
      return <bdi class="cut">{row ? formatSessionTitle(row) : sessionId}</bdi>;
    },
  },
  { name: "When", class: "num dim r1", cell: ({ at }) => <Age at={at} /> },
];

/** Snippet with the first occurrence of the text marked. */
function Marked({ snippet, text }: { snippet: string; text: string }) {
  const at = snippet.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0) return <>{snippet}</>;
  return (
    <>
      {snippet.slice(0, at)}
      <mark>{snippet.slice(at, at + text.length)}</mark>
      {snippet.slice(at + text.length)}
    </>
  );
}

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import { type RecordedSessionFilter, Sessions, type SessionsQuery } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { listen, RESUMED, type Touched } from "../../data/realtime.ts";

/** A session as the list shows it. */
export type SessionRow = SessionsQuery["recordedSessions"]["nodes"][number];

/** The sessions of a filter, as far as they were read. */
export interface SessionList {
  rows: readonly SessionRow[];
  loading: boolean;
  error?: ApiError;
  hasMore: boolean;
  /** Sessions that came since, and wait to be shown. */
  waiting: readonly SessionRow[];
}

/** What can be done with it. */
export interface SessionListActions {
  more(): void;
  reload(): void;
  showWaiting(): void;
}

const PAGE = 60;
const NOTHING: SessionList = { rows: [], loading: true, hasMore: false, waiting: [] };

/**
 * Reads a filter's sessions page by page, and keeps them up to date. New ones are shown at once while `atRest` says that
 * nothing would move under somebody's eyes; else they wait.
 */
export function useSessionList(
  filter: RecordedSessionFilter,
  atRest: () => boolean,
): [Signal<SessionList>, SessionListActions] {
  const list = useSignal<SessionList>(NOTHING);
  const cursor = useRef<string | null>(null);
  const key = JSON.stringify(filter);
  const actions = useMemo(() => makeActions(list, cursor, filter), [key]);
  useEffect(() => {
    list.value = NOTHING;
    cursor.current = null;
    actions.reload();
    const stops = [
      listen<Touched>("session.touched", (touched) => void actions.touched(touched, atRest).catch(() => {})),
      listen(RESUMED, actions.reload),
    ];
    return () => {
      for (const stop of stops) stop();
      actions.stop();
    };
  }, [key]);
  return [list, actions];
}

function makeActions(list: Signal<SessionList>, cursor: { current: string | null }, filter: RecordedSessionFilter) {
  const abort = new AbortController();
  const read = async (after: string | null) => {
    list.value = { ...list.peek(), loading: true };
    try {
      const { recordedSessions } = await request(Sessions, { filter, first: PAGE, after }, abort.signal);
      const { nodes, pageInfo } = recordedSessions;
      cursor.current = pageInfo.endCursor;
      const rows = after ? merged(list.peek().rows, nodes) : nodes;
      list.value = { rows, loading: false, hasMore: pageInfo.hasNextPage, waiting: after ? list.peek().waiting : [] };
    } catch (error) {
      if (!abort.signal.aborted) list.value = { ...list.peek(), loading: false, error: error as ApiError };
    }
  };
  return {
    more: () => {
      const { loading, hasMore, error } = list.peek();
      if (!loading && hasMore && !error) void read(cursor.current);
    },
    reload: () => void read(null),
    showWaiting: () => {
      const { rows, waiting } = list.peek();
      list.value = { ...list.peek(), rows: merged(rows, waiting), waiting: [] };
    },
    touched: async ({ sessions }: Touched, atRest: () => boolean) => {
      const ids = sessions.map(({ id }) => id);
      if (ids.length === 0) return;
      const wanted = { and: [filter, { id: { in: ids } }] };
      const { recordedSessions } = await request(Sessions, { filter: wanted, first: PAGE }, abort.signal);
      takeIn(list, recordedSessions.nodes, atRest());
    },
    stop: () => abort.abort(),
  };
}

/** Known rows are changed where they stand; what is new is put in its place, or waits. */
function takeIn(list: Signal<SessionList>, fresh: readonly SessionRow[], atOnce: boolean): void {
  const { rows, waiting } = list.peek();
  const known = new Set(rows.map(({ id }) => id));
  const unknown = fresh.filter(({ id }) => !known.has(id));
  const changed = replaced(rows, fresh);
  if (atOnce) list.value = { ...list.peek(), rows: merged(changed, unknown), loading: false };
  else list.value = { ...list.peek(), rows: changed, waiting: merged(waiting, unknown) };
}

const replaced = (rows: readonly SessionRow[], fresh: readonly SessionRow[]): SessionRow[] => {
  const by = new Map(fresh.map((row) => [row.id, row]));
  return rows.map((row) => by.get(row.id) ?? row);
};

/** Rows of both, each once, the newest first. */
function merged(rows: readonly SessionRow[], more: readonly SessionRow[]): SessionRow[] {
  const by = new Map([...rows, ...more].map((row) => [row.id, row]));
  return [...by.values()].sort((a, b) =>
    a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : a.id < b.id ? 1 : -1,
  );
}

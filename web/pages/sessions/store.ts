import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import type { RecordedSessionFilter, SessionsQuery } from "../../data/documents.ts";
import {
  REALTIME_CONNECTED_EVENT,
  subscribeToRealtimeEvent,
  type TouchedSessionsPayload,
} from "../../data/realtime.ts";
import { readHistoryState } from "../../shell/kept.ts";
import { createSessionListReaders, mergeRows } from "./reads.ts";
import { isDefaultSort, type SessionSort } from "./sort.ts";

/** Session as read for the list. */
export type SessionRow = SessionsQuery["recordedSessions"]["nodes"][number];

/** Loaded sessions that match a filter, and the state of loading. */
export interface SessionList {
  rows: readonly SessionRow[];
  loading: boolean;
  error?: ApiError;
  hasMore: boolean;
  /** Cursor of the next page. */
  cursor: string | null;
  /** New sessions that are not shown yet. */
  waiting: readonly SessionRow[];
}

/** Functions of a list of sessions. */
export interface SessionListActions {
  more(): void;
  reload(): void;
  showWaiting(): void;
}

/**
 * Name under which a history entry stores the key of the list. The session page links to the next session of that
 * list.
 */
export const LIST_KEY_STATE_NAME = "trail";

const NOTHING: SessionList = { rows: [], loading: true, hasMore: false, cursor: null, waiting: [] };

/**
 * Reads the sessions that match a filter page by page, and keeps the sessions up to date. In a list that is sorted
 * newest first, new sessions appear immediately while `atRest` returns true; otherwise new sessions wait. A user who
 * returns to the list finds the rows that were loaded before.
 */
export function useSessionList(
  filter: RecordedSessionFilter,
  sort: SessionSort,
  atRest: () => boolean,
): [Signal<SessionList>, SessionListActions] {
  const key = JSON.stringify([filter, sort]);
  const memory = useRef(readHistoryState());
  memory.current = readHistoryState();
  const kept = () => memory.current.get(key) as SessionList | undefined;
  const list = useSignal(kept() ?? NOTHING);
  const actions = useMemo(() => makeActions(list, { filter, sort }, atRest), [key]);
  useEffect(() => {
    const before = kept();
    list.value = before ?? NOTHING;
    if (before) actions.comeBack();
    else actions.reload();
    const stops = [
      subscribeToRealtimeEvent<TouchedSessionsPayload>("session.touched", actions.touched),
      subscribeToRealtimeEvent(REALTIME_CONNECTED_EVENT, actions.catchUp),
    ];
    return () => {
      for (const stop of stops) stop();
      actions.stop();
      if (list.peek().rows.length > 0)
        memory.current.set(key, { ...list.peek(), loading: false }).set(LIST_KEY_STATE_NAME, key);
    };
  }, [key]);
  return [list, actions];
}

interface Wanted {
  filter: RecordedSessionFilter;
  sort: SessionSort;
}

function makeActions(list: Signal<SessionList>, { filter, sort }: Wanted, atRest: () => boolean) {
  const abort = new AbortController();
  const inTurn = createTurns();
  const reads = createSessionListReaders({ list, filter, sort, atRest, abort: abort.signal });
  const touchedIds = new Set<string>();
  const shown = async (read: () => Promise<void>) => {
    list.value = { ...list.peek(), loading: true };
    try {
      await read();
    } catch (error) {
      if (!abort.signal.aborted) list.value = { ...list.peek(), loading: false, error: error as ApiError };
    }
  };
  const readTouched = () => {
    const ids = [...touchedIds];
    touchedIds.clear();
    return reads.these(ids);
  };
  return {
    more: () => {
      const { loading, hasMore, error } = list.peek();
      if (!loading && hasMore && !error) void shown(reads.more);
    },
    reload: () => inTurn(() => shown(reads.first)),
    showWaiting: () => {
      const { rows, waiting } = list.peek();
      if (!isDefaultSort(sort)) return inTurn(() => shown(reads.first));
      list.value = { ...list.peek(), rows: mergeRows(rows, waiting), waiting: [] };
    },
    touched: ({ sessions, more }: TouchedSessionsPayload) => {
      for (const { id } of sessions) touchedIds.add(id);
      inTurn(more ? reads.missed : readTouched);
    },
    catchUp: () => inTurn(reads.missed),
    comeBack: () => {
      inTurn(reads.missed);
      inTurn(reads.active);
    },
    stop: () => abort.abort(),
  };
}

/** Runs reads one after another, so that an earlier response never replaces a later response. */
function createTurns(): (work: () => Promise<void>) => void {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work).catch(() => {});
  };
}

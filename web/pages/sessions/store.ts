import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ApiError } from "../../data/api.ts";
import type { RecordedSessionFilter, SessionsQuery } from "../../data/documents.ts";
import { listen, RESUMED, type Touched } from "../../data/realtime.ts";
import { keptHere } from "../../shell/kept.ts";
import { listReads, merged } from "./reads.ts";
import { isUsual, type Sort } from "./sort.ts";

/** A session as the list shows it. */
export type SessionRow = SessionsQuery["recordedSessions"]["nodes"][number];

/** The sessions of a filter, as far as they were read. */
export interface SessionList {
  rows: readonly SessionRow[];
  loading: boolean;
  error?: ApiError;
  hasMore: boolean;
  /** Cursor of the next page. */
  cursor: string | null;
  /** Sessions that came since, and wait to be shown. */
  waiting: readonly SessionRow[];
}

/** The actions on it. */
export interface SessionListActions {
  more(): void;
  reload(): void;
  showWaiting(): void;
}

/** The name under which an entry of the history keeps the key of its list: sessions opened from it lead to the next. */
export const TRAIL = "trail";

const NOTHING: SessionList = { rows: [], loading: true, hasMore: false, cursor: null, waiting: [] };

/**
 * Reads a filter's sessions page by page, and keeps them up to date. New ones are shown at once while `atRest` says that
 * nothing would move under somebody's eyes; else they wait. Who comes back to the list finds the rows that were read.
 */
export function useSessionList(
  filter: RecordedSessionFilter,
  sort: Sort,
  atRest: () => boolean,
): [Signal<SessionList>, SessionListActions] {
  const key = JSON.stringify([filter, sort]);
  const memory = useRef(keptHere());
  memory.current = keptHere();
  const kept = () => memory.current.get(key) as SessionList | undefined;
  const list = useSignal(kept() ?? NOTHING);
  const actions = useMemo(() => makeActions(list, { filter, sort }, atRest), [key]);
  useEffect(() => {
    const before = kept();
    list.value = before ?? NOTHING;
    if (before) actions.comeBack();
    else actions.reload();
    const stops = [listen<Touched>("session.touched", actions.touched), listen(RESUMED, actions.catchUp)];
    return () => {
      for (const stop of stops) stop();
      actions.stop();
      if (list.peek().rows.length > 0) memory.current.set(key, { ...list.peek(), loading: false }).set(TRAIL, key);
    };
  }, [key]);
  return [list, actions];
}

interface Wanted {
  filter: RecordedSessionFilter;
  sort: Sort;
}

function makeActions(list: Signal<SessionList>, { filter, sort }: Wanted, atRest: () => boolean) {
  const abort = new AbortController();
  const inTurn = createTurns();
  const reads = listReads({ list, filter, sort, atRest, abort: abort.signal });
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
      if (!isUsual(sort)) return inTurn(() => shown(reads.first));
      list.value = { ...list.peek(), rows: merged(rows, waiting), waiting: [] };
    },
    touched: ({ sessions, more }: Touched) => {
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

/** One read after another: an answer that was asked for earlier never takes the place of a later one. */
function createTurns(): (work: () => Promise<void>) => void {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work).catch(() => {});
  };
}

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { Outline } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { RESUMED_EVENT, subscribe, type TouchedSessions } from "../../../data/realtime.ts";
import { buildEventTree, type EventTree, type SessionEvent, toEvents } from "../events.ts";

/** Events of a session that are read. */
export interface LoadedOutline {
  tree: EventTree;
  loading: boolean;
  error?: ApiError;
}

const EMPTY: LoadedOutline = { tree: buildEventTree([]), loading: true };
/** The first page is small, so that events appear soon. */
const FIRST = 1_000;
const FURTHER = 5_000;
/** Transactions may commit out of order, so the latest events are read again. */
const OVERLAP_MS = 15_000;

/** Reads the events of a session, and new events while the page is open. */
export function useOutline(sessionId: string): [Signal<LoadedOutline>, () => void] {
  const state = useSignal<LoadedOutline>(EMPTY);
  const load = () => loadFrom(sessionId, state);
  useEffect(() => {
    state.value = EMPTY;
    const loader = load();
    const stops = [
      subscribe<TouchedSessions>("session.touched", ({ sessions, more }) => {
        if (more || sessions.some(({ id }) => id === sessionId)) loader.update();
      }),
      subscribe(RESUMED_EVENT, loader.update),
    ];
    return () => {
      loader.stop();
      for (const stop of stops) stop();
    };
  }, [sessionId]);
  return [state, load];
}

function loadFrom(sessionId: string, state: Signal<LoadedOutline>) {
  const abort = new AbortController();
  const events = new Map<string, SessionEvent>();
  let received = 0;
  let running: Promise<void> | undefined;
  const take = (page: Parameters<typeof toEvents>[0]) => {
    for (const event of toEvents(page)) events.set(event.id, event);
    received = Math.max(received, Date.parse(page.receivedAt ?? "") || 0);
  };
  const read = async (receivedAfter: string | undefined) => {
    let after: string | undefined;
    for (let first = FIRST; ; first = FURTHER) {
      const variables = { sessionId, first, ...(after && { after }), ...(receivedAfter && { receivedAfter }) };
      const { recordedOutline } = await requestGraphQL(Outline, variables, abort.signal);
      take(recordedOutline);
      after = recordedOutline.endCursor ? String(recordedOutline.endCursor) : undefined;
      const loading = recordedOutline.hasNextPage && after !== undefined;
      state.value = { tree: buildEventTree(events.values()), loading };
      if (!loading) return;
    }
  };
  const run = (receivedAfter?: string) => {
    running ??= read(receivedAfter)
      .catch((error: ApiError) => {
        if (!abort.signal.aborted) state.value = { ...state.peek(), loading: false, error };
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  let again = false;
  const update = async () => {
    // Changes that arrive during a read cause one further read.
    if (running) {
      if (again) return;
      again = true;
      await running;
      again = false;
    }
    if (!abort.signal.aborted) void run(received ? new Date(received - OVERLAP_MS).toISOString() : undefined);
  };
  void run();
  return { update: () => void update(), stop: () => abort.abort() };
}

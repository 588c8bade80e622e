import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { Outline } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import {
  REALTIME_CONNECTED_EVENT,
  subscribeToRealtimeEvent,
  type TouchedSessionsPayload,
} from "../../../data/realtime.ts";
import { buildEventTree, type EventTree, type SessionEvent, toEvents } from "../events.ts";

/** Events of a session that have been read so far. */
export interface SessionOutline {
  tree: EventTree;
  loading: boolean;
  error?: ApiError;
}

const EMPTY: SessionOutline = { tree: buildEventTree([]), loading: true };
/**
 * Number of events on the first page, and on each further page. The first page is small, so that events appear soon.
 */
const FIRST = 1_000;
const FURTHER = 5_000;
/**
 * Milliseconds by which a read for new events overlaps the previous read. Transactions may commit out of order, so an
 * earlier event may become visible after a later event.
 */
const OVERLAP_MS = 15_000;

/** Reads the events of a session, and new events while the page is open. */
export function useSessionOutline(sessionId: string): [Signal<SessionOutline>, () => void] {
  const state = useSignal<SessionOutline>(EMPTY);
  const load = () => loadFrom(sessionId, state);
  useEffect(() => {
    state.value = EMPTY;
    const loader = load();
    const stops = [
      subscribeToRealtimeEvent<TouchedSessionsPayload>("session.touched", ({ sessions, more }) => {
        if (more || sessions.some(({ id }) => id === sessionId)) loader.update();
      }),
      subscribeToRealtimeEvent(REALTIME_CONNECTED_EVENT, loader.update),
    ];
    return () => {
      loader.stop();
      for (const stop of stops) stop();
    };
  }, [sessionId]);
  return [state, load];
}

function loadFrom(sessionId: string, state: Signal<SessionOutline>) {
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

import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApiError } from "../../../data/api.ts";
import { Outline } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { listen, RESUMED, type Touched } from "../../../data/realtime.ts";
import { type EventTree, readPage, type SessionEvent, treeOf } from "../events.ts";

/** The events of a session, as far as they were read. */
export interface LoadedOutline {
  tree: EventTree;
  loading: boolean;
  error?: ApiError;
}

const EMPTY: LoadedOutline = { tree: treeOf([]), loading: true };
/** The first page is small, so that something is to be seen soon. */
const FIRST = 1_000;
const FURTHER = 5_000;
/** Commits may end in another order than they began: what came shortly before is read again. */
const OVERLAP_MS = 15_000;

/** Reads a session's events, and those that come while it is looked at. */
export function useOutline(sessionId: string): [Signal<LoadedOutline>, () => void] {
  const state = useSignal<LoadedOutline>(EMPTY);
  const load = () => loadFrom(sessionId, state);
  useEffect(() => {
    state.value = EMPTY;
    const loader = load();
    const stops = [
      listen<Touched>("session.touched", ({ sessions, more }) => {
        if (more || sessions.some(({ id }) => id === sessionId)) loader.update();
      }),
      listen(RESUMED, loader.update),
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
  const take = (page: Parameters<typeof readPage>[0]) => {
    for (const event of readPage(page)) events.set(event.id, event);
    received = Math.max(received, Date.parse(page.receivedAt ?? "") || 0);
  };
  const read = async (receivedAfter: string | undefined) => {
    let after: string | undefined;
    for (let first = FIRST; ; first = FURTHER) {
      const variables = { sessionId, first, ...(after && { after }), ...(receivedAfter && { receivedAfter }) };
      const { recordedOutline } = await request(Outline, variables, abort.signal);
      take(recordedOutline);
      after = recordedOutline.endCursor ? String(recordedOutline.endCursor) : undefined;
      const loading = recordedOutline.hasNextPage && after !== undefined;
      state.value = { tree: treeOf(events.values()), loading };
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
    // Changes that come while a read runs are read once after it.
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

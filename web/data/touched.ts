import { useEffect, useRef } from "preact/hooks";
import { CHANGE_LOG_EVENT, REALTIME_CONNECTED_EVENT, subscribeToRealtimeEvent } from "./realtime.ts";

/**
 * `PAUSE_MS` is the shortest pause between two reads. Each pause lasts at least `TIMES` times as long as the last read.
 */
const PAUSE_MS = 500;
const TIMES = 2;
const TOUCHED = ["session.touched", REALTIME_CONNECTED_EVENT];
/** All events: events of sessions and entries of the change log. */
export const ALL_REALTIME_EVENTS: readonly string[] = [...TOUCHED, CHANGE_LOG_EVENT];

/**
 * Calls `reload` when sessions have new events, or after the connection was interrupted. The first read is immediate.
 * Later reads have pauses that grow with the duration of a read, so that an open page does not overload a slow
 * server.
 */
export function useReloadOnEvents(
  reload: () => Promise<void>,
  pauseMs = PAUSE_MS,
  events: readonly string[] = TOUCHED,
): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const reader = createReader(() => latest.current(), pauseMs);
    const stops = [...events.map((event) => subscribeToRealtimeEvent(event, reader.read)), reader.stop];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

/** Shortest pause between two counts, and the events after which issues are counted again. */
const RECOUNT_PAUSE_MS = 5_000;
const RECOUNTED = [CHANGE_LOG_EVENT, REALTIME_CONNECTED_EVENT];

/**
 * Counts issues again after changes. The pauses are long, because counting costs the server as much as a list of the
 * issues.
 */
export const useRecountOnEvents = (reload: () => Promise<void>): void =>
  useReloadOnEvents(reload, RECOUNT_PAUSE_MS, RECOUNTED);

function createReader(reload: () => Promise<void>, pauseMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [busy, again, stopped] = [false, false, false];
  const rested = () => {
    busy = false;
    if (again) void read();
  };
  const read = async () => {
    again = busy;
    if (busy || stopped) return;
    busy = true;
    const begun = performance.now();
    await reload();
    const pause = Math.max(pauseMs, TIMES * (performance.now() - begun));
    if (!stopped) timer = setTimeout(rested, pause);
  };
  return {
    read: () => void read(),
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

import { useEffect, useRef } from "preact/hooks";
import { CHANGED, listen, RESUMED } from "./realtime.ts";

/** The shortest pause between two reads, and how often the time of a read a pause takes besides. */
const PAUSE_MS = 500;
const TIMES = 2;
const TOUCHED = ["session.touched", RESUMED];
/** Everything that happens: events of sessions, and entries of the change log. */
export const ANYTHING: readonly string[] = [...TOUCHED, CHANGED];

/**
 * Reads again when sessions got events, or when the connection was away: at once, and then with pauses. They grow with the
 * time of a read, so that a page that stands open does not keep a server busy.
 */
export function useTouched(reload: () => Promise<void>, pauseMs = PAUSE_MS, events: readonly string[] = TOUCHED): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const reader = createReader(() => latest.current(), pauseMs);
    const stops = [...events.map((event) => listen(event, reader.read)), reader.stop];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

/** The shortest pause between two counts, and what has them made again. */
const RECOUNT_PAUSE_MS = 5_000;
const RECOUNTED = [CHANGED, RESUMED];

/** Reads again what is counted of issues, when the change log goes on: each count costs as much as a list of them. */
export const useRecount = (reload: () => Promise<void>): void => useTouched(reload, RECOUNT_PAUSE_MS, RECOUNTED);

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

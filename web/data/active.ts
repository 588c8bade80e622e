import { useEffect } from "preact/hooks";
import { ActiveSessions } from "./documents.ts";
import { useQuery } from "./query.ts";
import { useReloadOnEvents } from "./touched.ts";

/** Start of the period whose sessions are counted: one day ago. An agent's session lasts hours, rarely days. */
const SINCE = "-P1D";
/**
 * `PAUSE_MS` is the shortest pause between two reads after events. `AGAIN_MS` is the interval of reads while sessions
 * run, because a session may end without an event.
 */
const PAUSE_MS = 3_000;
const AGAIN_MS = 20_000;

/** Returns the number of running sessions that started in the last day. 100 stands for 100 or more. */
export function useRunningSessionCount(): number {
  const { data, reload } = useQuery(ActiveSessions, { from: SINCE });
  const count = data?.recordedSessions.nodes.length ?? 0;
  useReloadOnEvents(reload, PAUSE_MS);
  useEffect(() => {
    if (count === 0) return;
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [count > 0, reload]);
  return count;
}

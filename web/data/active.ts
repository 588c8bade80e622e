import { useEffect } from "preact/hooks";
import { ActiveSessions } from "./documents.ts";
import { useQuery } from "./query.ts";
import { useReloadOnEvents } from "./touched.ts";

/** Maximum age of the sessions read: an agent's session lasts hours, rarely days. */
const SINCE = "-P1D";
/**
 * Shortest pause between two reads after an event, and the interval of reads while sessions run, because a session
 * may end without an event.
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

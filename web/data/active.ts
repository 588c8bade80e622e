import { useEffect } from "preact/hooks";
import { ActiveSessions } from "./documents.ts";
import { useQuery } from "./query.ts";
import { useTouched } from "./touched.ts";

/** The age up to which sessions are read: an agent's session lasts hours, seldom days. */
const SINCE = "-P1D";
/** Pauses between two reads: while something is recorded, and while sessions go on that may have ended. */
const PAUSE_MS = 3_000;
const AGAIN_MS = 20_000;

/** The running sessions of the last day, as far as is known; a hundred stands for more. */
export function useActive(): number {
  const { data, reload } = useQuery(ActiveSessions, { from: SINCE });
  const count = data?.recordedSessions.nodes.length ?? 0;
  useTouched(reload, PAUSE_MS);
  useEffect(() => {
    if (count === 0) return;
    const timer = setInterval(() => document.visibilityState === "visible" && void reload(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [count > 0, reload]);
  return count;
}

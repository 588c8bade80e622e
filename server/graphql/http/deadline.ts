import { setMaxListeners } from "node:events";

/** A request and its SQL are stopped after about this long. */
const DEADLINE_MS = 15_000;
/** Requests that begin within the same window share a signal and its timer: one for each would cost more than the rest. */
const WINDOW_MS = 250;

let window = -1;
let signal = AbortSignal.abort();

/** A signal that aborts when a request that begins now has had its time; up to one window earlier, never later. */
export function deadlineFromNow(): AbortSignal {
  const now = Math.floor(performance.now() / WINDOW_MS);
  if (now === window) return signal;
  window = now;
  signal = AbortSignal.timeout(DEADLINE_MS);
  setMaxListeners(0, signal);
  return signal;
}

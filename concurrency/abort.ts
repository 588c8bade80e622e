const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal aborts. Pass a new function for every call, because the set of waiting functions ignores
 * duplicates. A signal that has already aborted never calls `act`. Each signal has one event listener, however many
 * callers wait: many requests share a signal, and adding and removing event listeners costs more than this set.
 * @returns a function that cancels the call
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  const waiting = listeners.get(signal) ?? listenTo(signal);
  waiting.add(act);
  return () => void waiting.delete(act);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  listeners.set(signal, waiting);
  const act = () => {
    for (const each of waiting) each();
  };
  signal.addEventListener("abort", act, { once: true });
  return waiting;
}

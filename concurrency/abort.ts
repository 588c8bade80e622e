const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act` when the signal aborts. A signal that has already aborted never calls `act`. Pass a new function for
 * every call, because a set stores the waiting functions and ignores duplicates. Each signal has a single event
 * listener for all callers: many requests share a signal, and adding and removing event listeners costs more than
 * changing the set.
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

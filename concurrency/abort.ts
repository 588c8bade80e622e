const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `act`, a function of its own for each call, when a signal aborts that has not yet. However many wait for a signal, it
 * has one listener: many requests share one, and adding and removing listeners costs more than to remember them here.
 * @returns the way to call it off
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

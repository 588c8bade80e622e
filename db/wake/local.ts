import { AsyncResource } from "node:async_hooks";
import { createCoalescer } from "../../concurrency/coalescer.ts";
import type { Wake } from "./wake.ts";

type Listener = (organizationId: string) => void;
type TouchListener = (organizationId: string, name: string) => void;

/** Wake within one process: each listener is notified of an organization once a turn of the event loop. */
export function localWake(): Wake {
  const listeners = new Set<Listener>();
  const touchListeners = new Set<TouchListener>();
  const publish = createCoalescer<string>(setImmediate, (organizationIds) => {
    for (const organizationId of organizationIds) {
      for (const listener of listeners) notify(listener, organizationId);
    }
  });
  return {
    publish,
    subscribe(listener) {
      // A listener runs in its own context, not in that of whoever published (a transaction, a queue class).
      const bound = AsyncResource.bind((organizationId: string) => listener(organizationId));
      listeners.add(bound);
      return () => listeners.delete(bound);
    },
    touch(organizationId, name) {
      for (const listener of touchListeners) listener(organizationId, name);
    },
    onTouch(listener) {
      const bound = AsyncResource.bind(listener);
      touchListeners.add(bound);
      return () => touchListeners.delete(bound);
    },
  };
}

/** A listener that throws keeps neither the others nor whoever publishes from going on. */
function notify(listener: Listener, organizationId: string): void {
  try {
    listener(organizationId);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

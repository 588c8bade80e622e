import { AsyncResource } from "node:async_hooks";
import { createCoalescer } from "../../concurrency/coalescer.ts";

/**
 * Says that organizations have new changes in the log. A hint only: a message may be lost, doubled or late, so
 * listeners poll as well. Embedded: in process. PostgreSQL: NOTIFY after the commit, coalesced to one in 20 ms.
 */
export interface Wake {
  /** Call after COMMIT, outside any transaction. Never throws, never waits. */
  publish(organizationId: string): void;
  /** Calls `listener` with the id of each organization published, also by this process. Returns the way to stop. */
  subscribe(listener: (organizationId: string) => void): () => void;
  /**
   * Says that something of an organization was touched that no log tells of. Lossy, and kept from those who follow logs.
   * Many names at once arrive as `*`. Never throws, never waits.
   */
  touch(organizationId: string, name: string): void;
  /** Calls `listener` with each organization and name touched, also by this process. Returns the way to stop. */
  onTouch(listener: (organizationId: string, name: string) => void): () => void;
}

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

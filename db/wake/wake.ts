import { AsyncResource } from "node:async_hooks";
import { createCoalescer } from "../../concurrency/coalescer.ts";

/**
 * Notifies listeners that organizations have new changes in the change log. A notification is only a hint: it may be
 * lost, repeated or late, so listeners also poll. With the embedded engine, notifications stay in the process. With
 * PostgreSQL, NOTIFY is sent after the commit, at most once in 20 ms.
 */
export interface WakeNotifier {
  /**
   * Notifies the listeners that an organization has new changes. Call `publish` after COMMIT, outside any transaction.
   * Never throws, never waits.
   */
  publish(organizationId: string): void;
  /**
   * Calls `listener` with the id of each published organization, also for publications of the same process. Returns a
   * function that ends the subscription.
   */
  subscribe(listener: (organizationId: string) => void): () => void;
  /**
   * Notifies the listeners of `onTouch` about a change that the change log does not contain. Notifications may be lost,
   * and listeners of `subscribe` do not receive them. If many names are touched at once, the name `*` arrives. Never
   * throws, never waits.
   */
  touch(organizationId: string, name: string): void;
  /**
   * Calls `listener` with each touched organization and name, also for touches of the same process. Returns a function
   * that ends the subscription.
   */
  onTouch(listener: (organizationId: string, name: string) => void): () => void;
}

type Listener = (organizationId: string) => void;
type TouchListener = (organizationId: string, name: string) => void;

/** Creates a Wake within one process. Each listener is notified of an organization once per turn of the event loop. */
export function createLocalWakeNotifier(): WakeNotifier {
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
      // A listener runs in its own context instead of the publisher's, which may be in a transaction or a queue class.
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

/** Calls a listener. A listener that throws affects neither the other listeners nor the publisher. */
function notify(listener: Listener, organizationId: string): void {
  try {
    listener(organizationId);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

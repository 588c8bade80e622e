import { AsyncResource } from "node:async_hooks";
import type { Wake } from "./wake.ts";

/** Wake within one process: each listener hears an organization once a turn of the event loop. */
export function localWake(): Wake {
  const listeners = new Set<(organizationId: string) => void>();
  const pending = new Set<string>();

  const deliver = () => {
    const organizationIds = [...pending];
    pending.clear();
    for (const organizationId of organizationIds) {
      for (const listener of listeners) hear(listener, organizationId);
    }
  };

  return {
    publish(organizationId) {
      if (pending.size === 0) setImmediate(deliver);
      pending.add(organizationId);
    },
    subscribe(listener) {
      // A listener runs in its own context, not in that of whoever published (a transaction, a queue class).
      const bound = AsyncResource.bind((organizationId: string) => listener(organizationId));
      listeners.add(bound);
      return () => listeners.delete(bound);
    },
  };
}

/** A listener's fault is its own: the others still hear, and publishing never throws. */
function hear(listener: (organizationId: string) => void, organizationId: string): void {
  try {
    listener(organizationId);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

import type pg from "pg";
import { listen } from "./listen.ts";
import type { Wake } from "./wake.ts";
import { localWake } from "./wake-local.ts";

const CHANNEL = "trackway_wake";
const INTERVAL_MS = 20;
/** A payload holds 8,000 bytes: 200 ids of 36 characters and their commas fit. */
const IDS_A_MESSAGE = 200;
const NOTIFY = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) payload`;

/**
 * Wake over LISTEN and NOTIFY on one connection of its own. What this process publishes reaches its own listeners
 * directly; other processes hear it within 20 ms. While the connection is down messages to others are dropped.
 */
export function postgresWake(settings: pg.ClientConfig): Wake & { close(): Promise<void> } {
  const local = localWake();
  const listener = listen(settings, CHANNEL, (payload) => payload.split(",").forEach(local.publish));
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  /** Sends at once what comes after a pause, and every 20 ms what comes in a stream. */
  const flush = () => {
    timer = undefined;
    if (pending.size === 0) return;
    listener.send(NOTIFY, [payloads([...pending])]);
    pending.clear();
    timer = setTimeout(flush, INTERVAL_MS).unref();
  };

  return {
    publish(organizationId) {
      local.publish(organizationId);
      if (pending.size === 0 && !timer) queueMicrotask(flush);
      pending.add(organizationId);
    },
    subscribe: local.subscribe,
    async close() {
      clearTimeout(timer);
      await listener.close();
    },
  };
}

function payloads(ids: string[]): string[] {
  const count = Math.ceil(ids.length / IDS_A_MESSAGE);
  return Array.from({ length: count }, (_, n) => ids.slice(n * IDS_A_MESSAGE, (n + 1) * IDS_A_MESSAGE).join(","));
}

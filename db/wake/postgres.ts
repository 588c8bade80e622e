import type pg from "pg";
import { createCoalescer, throttle } from "../../concurrency/coalescer.ts";
import { listen } from "../postgres/listen.ts";
import { localWake } from "./local.ts";
import type { Wake } from "./wake.ts";

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
  const notifyOthers = createCoalescer<string>(throttle(INTERVAL_MS), (ids) => listener.send(NOTIFY, [payloads(ids)]));
  return {
    publish(organizationId) {
      local.publish(organizationId);
      notifyOthers(organizationId);
    },
    subscribe: local.subscribe,
    close: listener.close,
  };
}

function payloads(ids: string[]): string[] {
  const count = Math.ceil(ids.length / IDS_A_MESSAGE);
  return Array.from({ length: count }, (_, n) => ids.slice(n * IDS_A_MESSAGE, (n + 1) * IDS_A_MESSAGE).join(","));
}

import pg from "pg";
import type { Wake } from "./wake.ts";
import { localWake } from "./wake-local.ts";

const CHANNEL = "trackway_wake";
const INTERVAL_MS = 20;
/** A payload holds 8,000 bytes: 200 ids of 36 characters and their commas fit. */
const IDS_A_MESSAGE = 200;

/**
 * Wake over LISTEN and NOTIFY on one connection of its own. What this process publishes reaches its own listeners
 * directly; other processes hear it within 20 ms. While the connection is down messages to others are dropped.
 */
export function postgresWake(settings: pg.ClientConfig): Wake & { close(): Promise<void> } {
  const local = localWake();
  const pending = new Set<string>();
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const listen = async (pause: number): Promise<void> => {
    const next = new pg.Client({ ...settings, keepAliveInitialDelayMillis: 10_000 });
    const lost = () => {
      next.removeAllListeners().on("error", () => {});
      void next.end().catch(() => {});
      client = undefined;
      if (!closed) setTimeout(() => void listen(Math.min(pause * 2, 5_000)), pause).unref();
    };
    next.once("error", lost).once("end", lost);
    next.on("notification", ({ processId, payload = "" }) => {
      if (processId !== Reflect.get(next, "processID")) payload.split(",").forEach(local.publish);
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      if (closed) return void next.end();
      client = next;
      pause = 100;
    } catch {
      lost();
    }
  };

  const flush = () => {
    timer = undefined;
    if (pending.size === 0) return;
    const ids = [...pending];
    pending.clear();
    const payloads = [];
    for (let start = 0; start < ids.length; start += IDS_A_MESSAGE) {
      payloads.push(ids.slice(start, start + IDS_A_MESSAGE).join(","));
    }
    const text = `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) payload`;
    client?.query(text, [payloads]).catch(() => {});
    timer = setTimeout(flush, INTERVAL_MS).unref();
  };

  void listen(100);
  return {
    publish(organizationId) {
      local.publish(organizationId);
      pending.add(organizationId);
      if (!timer) queueMicrotask(flush);
    },
    subscribe: local.subscribe,
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

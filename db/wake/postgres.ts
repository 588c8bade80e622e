import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { createCoalescer, createThrottledSchedule } from "../../concurrency/coalescer.ts";
import type { Statement } from "../database.ts";
import { createTouchCollector } from "./touches.ts";
import { createLocalWakeNotifier, type WakeNotifier } from "./wake.ts";

/** A connection that listens on a channel, and is opened again whenever it is lost. */
interface Listener {
  /** Runs a statement on the same connection. Drops the statement while there is no connection. Never throws. */
  send(statement: Statement): void;
  close(): Promise<void>;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Listens on `channel` and calls `onPayload` with the messages of other sessions. */
function listen(settings: pg.ClientConfig, channel: string, onPayload: (payload: string) => void): Listener {
  let current: pg.Client | undefined;
  let closed = false;

  const keepListening = async () => {
    for (let wait = FIRST_PAUSE_MS; !closed; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const client = new pg.Client({ ...settings, keepAliveInitialDelayMillis: 10_000 });
      const lost = new Promise((resolve) => client.once("error", resolve).once("end", resolve));
      client
        .on("error", () => {})
        .on("notification", ({ processId, payload }) => {
          if (processId !== Reflect.get(client, "processID")) onPayload(payload ?? "");
        });
      try {
        await client.connect();
        await client.query(`listen ${channel}`);
        current = client;
        wait = FIRST_PAUSE_MS;
        if (!closed) await lost;
      } catch {
        // The next round tries again.
      }
      current = undefined;
      await client.end().catch(() => {});
      if (!closed) await pause(wait, undefined, { ref: false });
    }
  };

  void keepListening();
  return {
    send: ({ values = [], ...rest }) => void current?.query({ ...rest, values: [...values] }).catch(() => {}),
    async close() {
      closed = true;
      await current?.end();
    },
  };
}

const CHANNEL = "trackway_wake";
const INTERVAL_MS = 20;
/**
 * Milliseconds between two messages about touched rows. The interval is longer than the interval for changes, because
 * touches are less important. Each message contains all rows that were touched since the previous message.
 */
const TOUCH_INTERVAL_MS = 250;
/**
 * Maximum number of ids per message. A payload has at most 8,000 bytes, which is enough for 100 pairs of ids (36
 * characters per id) with separators.
 */
const IDS_A_MESSAGE = 100;
const NOTIFY = {
  name: "notify",
  text: `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) payload`,
};

/**
 * Creates a Wake that uses LISTEN and NOTIFY on a separate connection. Listeners in this process are notified directly;
 * listeners in other processes learn of changes within 20 ms and of touches within 250 ms. While the connection is
 * down, messages to other processes are dropped.
 */
export function createPostgresWakeNotifier(settings: pg.ClientConfig): WakeNotifier & { close(): Promise<void> } {
  const local = createLocalWakeNotifier();
  const hear = (item: string) => {
    const [organizationId = "", name] = item.split("/");
    if (name === undefined) local.publish(organizationId);
    else local.touch(organizationId, name);
  };
  const listener = listen(settings, CHANNEL, (payload) => payload.split(",").forEach(hear));
  const notifyOthers = createCoalescer<string>(createThrottledSchedule(INTERVAL_MS), (ids) =>
    listener.send({ ...NOTIFY, values: [payloads(ids)] }),
  );
  const touchOthers = createTouchCollector(TOUCH_INTERVAL_MS, (touched) => {
    const items = [...touched].flatMap(([id, names]) => [...names].map((name) => `${id}/${name}`));
    listener.send({ ...NOTIFY, values: [payloads(items)] });
  });
  return {
    publish(organizationId) {
      local.publish(organizationId);
      notifyOthers(organizationId);
    },
    subscribe: local.subscribe,
    touch(organizationId, name) {
      local.touch(organizationId, name);
      touchOthers(organizationId, name);
    },
    onTouch: local.onTouch,
    close: listener.close,
  };
}

function payloads(ids: string[]): string[] {
  const count = Math.ceil(ids.length / IDS_A_MESSAGE);
  return Array.from({ length: count }, (_, n) => ids.slice(n * IDS_A_MESSAGE, (n + 1) * IDS_A_MESSAGE).join(","));
}

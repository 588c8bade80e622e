import type pg from "pg";
import { createCoalescer, throttle } from "../../concurrency/coalescer.ts";
import { listen } from "../postgres/listen.ts";
import { localWake } from "./local.ts";
import { gatherTouches } from "./touches.ts";
import type { Wake } from "./wake.ts";

const CHANNEL = "trackway_wake";
const INTERVAL_MS = 20;
/** The interval of messages about touched rows: they matter less, and one message covers all since the last. */
const TOUCH_INTERVAL_MS = 250;
/** A payload holds 8,000 bytes: 100 pairs of ids of 36 characters, the stroke within and their commas fit. */
const IDS_A_MESSAGE = 100;
const NOTIFY = {
  name: "notify",
  text: `select pg_notify('${CHANNEL}', payload) from unnest($1::text[]) payload`,
};

/**
 * Wake over LISTEN and NOTIFY on one connection of its own. Listeners of this process are notified directly, those of
 * other processes within 20 ms. Messages to others are dropped while the connection is down.
 */
export function postgresWake(settings: pg.ClientConfig): Wake & { close(): Promise<void> } {
  const local = localWake();
  const hear = (item: string) => {
    const [organizationId = "", name] = item.split("/");
    if (name === undefined) local.publish(organizationId);
    else local.touch(organizationId, name);
  };
  const listener = listen(settings, CHANNEL, (payload) => payload.split(",").forEach(hear));
  const notifyOthers = createCoalescer<string>(throttle(INTERVAL_MS), (ids) =>
    listener.send({ ...NOTIFY, values: [payloads(ids)] }),
  );
  const touchOthers = gatherTouches(TOUCH_INTERVAL_MS, (touched) => {
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

import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { targetConnector } from "../../outbound/connector.ts";
import type { Runtime } from "../../runtime.ts";
import { attempt, type Sender } from "./attempt.ts";
import { type Claimed, claimDue } from "./claim.ts";
import { disableWebhook, reasonToDisable } from "./disable.ts";
import { createNews, type News } from "./news.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { releaseClaims } from "./release.ts";

/** Deliveries of this process on their way at once, and the bytes of their changes. */
const MAX_IN_FLIGHT = 128;
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;
/** Least time between two looks, so that a burst of wakes costs one; a look that took long is followed by a longer one. */
const SPACING_MS = 20;
const SPACING_TIMES = 3;
/** What is on its way when the server stops may take this long to end. */
const GRACE_MS = 8_000;

interface State extends Sender {
  recorder: Recorder;
  /** Deliveries on their way, with the promise of their end. */
  inFlight: Map<Claimed, Promise<void>>;
  /** Where something may be due now. */
  news: News;
}

/** Sends the deliveries of the change log. Any number of processes share the queue. */
export function startWebhooks(runtime: Runtime): { close(): Promise<void> } {
  const giveUp = new AbortController();
  setMaxListeners(0, giveUp.signal);
  const dispatcher = new Agent({
    connect: targetConnector(allowsPrivate(runtime)),
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 30_000,
  });
  const news = createNews();
  const state: State = {
    runtime,
    dispatcher,
    stop: giveUp.signal,
    recorder: createRecorder(runtime, giveUp.signal),
    inFlight: new Map(),
    news,
  };
  const unsubscribe = runtime.db.wake.subscribe(news.tell);
  const claiming = keepClaiming(state);
  return {
    async close() {
      unsubscribe();
      news.end();
      await claiming;
      await Promise.race([Promise.all(state.inFlight.values()), sleep(GRACE_MS, undefined, { ref: false })]);
      const left = [...state.inFlight.keys()];
      giveUp.abort(new Error("the server stops"));
      await Promise.all(state.inFlight.values());
      await releaseClaims(runtime, left);
      await dispatcher.destroy();
    },
  };
}

/** On by default only where the embedded database and loopback say that this is someone's own machine. */
function allowsPrivate({ config, db }: Runtime): boolean {
  const local = db.engine === "embedded" && /^(127\.|localhost$|::1$)/.test(config.HOST);
  return (config.WEBHOOK_ALLOW_PRIVATE ?? (local ? "on" : "off")) === "on";
}

async function keepClaiming(state: State): Promise<void> {
  const { stopping, log } = state.runtime;
  while (!stopping.aborted) {
    const begun = performance.now();
    const where = state.news.take();
    await claimSome(state, where).catch((error) => log.debug({ err: error }, "deliveries not claimed; tried again"));
    const spacing = Math.max(SPACING_MS, SPACING_TIMES * (performance.now() - begun));
    await sleep(spacing, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (!stopping.aborted) await state.news.wait();
  }
}

async function claimSome(state: State, where: readonly string[] | undefined): Promise<void> {
  const inFlight = [...state.inFlight.keys()];
  const deliveries = MAX_IN_FLIGHT - inFlight.length;
  const bytes = MAX_BYTES_IN_FLIGHT - sum(inFlight);
  // What finds no room here is looked for again once something has ended.
  if (deliveries <= 0 || bytes <= 0) return state.news.tellAll();
  if (where?.length === 0) return;
  const busy = new Map<string, number>();
  for (const { webhookId } of inFlight) busy.set(webhookId, (busy.get(webhookId) ?? 0) + 1);
  const claimed = await claimDue(state.runtime.db, { deliveries, bytes, busy }, where);
  if (claimed.length >= deliveries || sum(claimed) >= bytes) state.news.tellAll();
  for (const delivery of claimed) {
    const end = deliver(state, delivery).finally(() => {
      state.inFlight.delete(delivery);
      state.news.tell(delivery.organizationId);
    });
    state.inFlight.set(delivery, end);
  }
}

const sum = (claimed: readonly Claimed[]): number => claimed.reduce((all, { size }) => all + size, 0);

/** Sends, and writes down how it went. Never rejects. */
async function deliver(state: State, delivery: Claimed): Promise<void> {
  const { log } = state.runtime;
  try {
    const made = await attempt(state, delivery);
    await state.recorder.record(made);
    const { id, webhookId } = delivery;
    if (made.error === null) return log.debug({ deliveryId: id, webhookId, status: made.status }, "delivered");
    log.debug({ deliveryId: id, webhookId, status: made.status, reason: made.error }, "delivery failed");
    const reason = reasonToDisable(delivery, made.status);
    if (reason) await disableWebhook(state.runtime, delivery, reason);
  } catch (error) {
    if (!state.stop.aborted) log.warn({ err: error }, "a delivery's end is not known; it is made again");
  }
}

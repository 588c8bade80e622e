import { setTimeout as sleep } from "node:timers/promises";
import { print, printJson } from "../output/print.ts";
import type { Worker } from "../work/caller.ts";
import { type Depths, type EventRow, eventLine, eventsOf } from "./events.ts";

const REST_MS = 1_000;
const PAGE = 1_000;
/** Looks so far back each time: what was received earlier may be committed later. */
const OVERLAP_MS = 10_000;

/** Options of following a session. */
export interface FollowOptions {
  json?: true | undefined;
  /** Go on behind this event. */
  after?: string | undefined;
  /** Seconds after which it ends; without them it runs until it is interrupted. */
  for?: number | undefined;
}

/** Writes the events of a session as they come, one a line; one that ends is written again. */
export async function follow(who: Worker, id: string, { json, after, for: seconds }: FollowOptions): Promise<void> {
  const until = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const shown = new Map<string, string>();
  const depths: Depths = new Map();
  const tell = (event: EventRow) => {
    const state = `${event.open} ${event.failed} ${event.latency}`;
    if (shown.get(event.id) === state) return;
    shown.set(event.id, state);
    if (json) printJson(event);
    else print(eventLine(event, depths));
  };
  let heard = await tellAll(who, { id, after }, tell);
  while (performance.now() < until) {
    await sleep(REST_MS);
    const receivedAfter = heard && new Date(Date.parse(heard) - OVERLAP_MS).toISOString();
    heard = (await tellAll(who, { id, receivedAfter }, tell)) ?? heard;
  }
}

interface From {
  id: string;
  after?: string | undefined;
  receivedAfter?: string | undefined;
}

/** Tells every event of a range, page by page; answers when the latest of them was received. */
async function tellAll(who: Worker, { id, after, receivedAfter }: From, tell: (event: EventRow) => void) {
  let heard: string | undefined;
  for (let from = after; ; ) {
    const page = await eventsOf(who, id, { first: PAGE, after: from, receivedAfter });
    page.events.forEach(tell);
    if (page.receivedAt && !(heard && heard > page.receivedAt)) heard = page.receivedAt;
    if (!page.next) return heard;
    from = page.next;
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import { SESSION } from "../api/documents.ts";
import { oneLine, print, printJson } from "../output/print.ts";
import type { Worker } from "../work/caller.ts";

interface Outline {
  hasNextPage: boolean;
  endCursor: string | null;
  ids: string[];
  parentIds: (string | null)[];
  names: string[];
  kinds: string[];
  open: number[];
  models: (string | null)[];
  inputTokens: (number | null)[];
  outputTokens: (number | null)[];
  costs: (number | null)[];
  failed: number[];
  latencies: (number | null)[];
  timestamps: number[];
  briefs: string[];
  results: (string | null)[];
  receivedAt: string | null;
}

/** Events of a session, from a page of its outline. */
interface EventPage {
  events: EventRow[];
  next: string | null;
  /** When the latest of them was received. */
  receivedAt: string | null;
}

/** An event as JSON. Part of the interface: docs/cli.md. */
type EventRow = ReturnType<typeof rowAt>;

const rowAt = (outline: Outline, at: number) => ({
  id: String(outline.ids[at]),
  parent: outline.parentIds[at] ?? null,
  kind: String(outline.kinds[at]),
  name: String(outline.names[at]),
  at: new Date(outline.timestamps[at] ?? 0).toISOString(),
  latency: outline.latencies[at] ?? null,
  open: outline.open[at] === 1,
  failed: outline.failed[at] === 1,
  model: outline.models[at] ?? null,
  inputTokens: outline.inputTokens[at] ?? null,
  outputTokens: outline.outputTokens[at] ?? null,
  cost: outline.costs[at] ?? null,
  args: String(outline.briefs[at]),
  error: outline.results[at] ?? null,
});

/** A position in a session. */
interface Range {
  first: number;
  after?: string | undefined;
  receivedAfter?: string | undefined;
}

/** Reads a page of the events of a session, oldest first. */
export async function eventsOf({ ask }: Worker, id: string, range: Range): Promise<EventPage> {
  const { recordedOutline: outline } = await ask<{ recordedOutline: Outline }>(SESSION.outline, { id, ...range });
  return {
    events: outline.ids.map((_, at) => rowAt(outline, at)),
    next: outline.hasNextPage ? outline.endCursor : null,
    receivedAt: outline.receivedAt,
  };
}

/** The depth of events in their tree, as far as they were seen. */
export type Depths = Map<string, number>;

/** An event in one line, below the one it was sent under. */
export function eventLine(event: EventRow, depths: Depths): string {
  const above = event.parent === null ? undefined : depths.get(event.parent);
  const depth = Math.min(above === undefined ? 0 : above + 1, 8);
  depths.set(event.id, depth);
  const parts = [
    `${event.at.slice(11, 19)} ${"  ".repeat(depth)}${event.kind}`,
    oneLine(event.name, 60),
    event.latency !== null && `${Math.round(event.latency)} ms`,
    event.open && "(open)",
    event.failed && "FAILED",
    oneLine(event.args, 160),
    event.error && `→ ${oneLine(event.error, 160)}`,
  ];
  return parts.filter(Boolean).join(" ");
}

const REST_MS = 1_000;
const PAGE = 1_000;
/** Looks so far back each time: what was received earlier may be committed later. */
const OVERLAP_MS = 10_000;

/** Options of following a session. */
interface FollowOptions {
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

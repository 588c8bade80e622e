import { setTimeout as sleep } from "node:timers/promises";
import { SESSION } from "../api/documents.ts";
import { printJson, printLines, toOneLine } from "../output/print.ts";
import type { CommandContext } from "../work/caller.ts";

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

/** A page of the events of a session. */
interface EventPage {
  events: EventRow[];
  next: string | null;
  /** Time at which the server received the page's latest event. */
  receivedAt: string | null;
}

/** An event in the form of the JSON output. docs/cli.md describes the stable JSON format. */
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

interface Range {
  first: number;
  after?: string | undefined;
  receivedAfter?: string | undefined;
}

/** Reads a page of the events of a session, oldest first. */
export async function readEventPage({ ask }: CommandContext, id: string, range: Range): Promise<EventPage> {
  const { recordedOutline: outline } = await ask<{ recordedOutline: Outline }>(SESSION.outline, { id, ...range });
  return {
    events: outline.ids.map((_, at) => rowAt(outline, at)),
    next: outline.hasNextPage ? outline.endCursor : null,
    receivedAt: outline.receivedAt,
  };
}

/** Depths of the printed events in their tree, by event id. */
export type EventDepths = Map<string, number>;

/** Returns one line about an event. The indentation shows the depth of the event in the tree of events. */
export function formatEvent(event: EventRow, depths: EventDepths): string {
  const above = event.parent === null ? undefined : depths.get(event.parent);
  const depth = Math.min(above === undefined ? 0 : above + 1, 8);
  depths.set(event.id, depth);
  const parts = [
    `${event.at.slice(11, 19)} ${"  ".repeat(depth)}${event.kind}`,
    toOneLine(event.name, 60),
    event.latency !== null && `${Math.round(event.latency)} ms`,
    event.open && "(open)",
    event.failed && "FAILED",
    toOneLine(event.args, 160),
    event.error && `→ ${toOneLine(event.error, 160)}`,
  ];
  return parts.filter(Boolean).join(" ");
}

const REST_MS = 1_000;
const PAGE = 1_000;
/**
 * Overlap of successive requests in milliseconds. Each further request also reads the events that the server received
 * up to ten seconds before the latest known event, because the server may commit an event after another event that it
 * received later.
 */
const OVERLAP_MS = 10_000;

interface FollowOptions {
  json?: true | undefined;
  /** Id of the event after which the command continues. */
  after?: string | undefined;
  /** Seconds after which the command ends. Without the option `for`, the command runs until interrupted. */
  for?: number | undefined;
}

/** Prints new events of a session, one per line. Prints an open event again when the event ends. */
export async function followSession(
  who: CommandContext,
  id: string,
  { json, after, for: seconds }: FollowOptions,
): Promise<void> {
  const until = performance.now() + (seconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const shown = new Map<string, string>();
  const depths: EventDepths = new Map();
  const tell = (event: EventRow) => {
    const state = `${event.open} ${event.failed} ${event.latency}`;
    if (shown.get(event.id) === state) return;
    shown.set(event.id, state);
    if (json) printJson(event);
    else printLines(formatEvent(event, depths));
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

/**
 * Passes every event of a range to a callback, page by page. Returns the time at which the server received the latest
 * event.
 */
async function tellAll(who: CommandContext, { id, after, receivedAfter }: From, tell: (event: EventRow) => void) {
  let heard: string | undefined;
  for (let from = after; ; ) {
    const page = await readEventPage(who, id, { first: PAGE, after: from, receivedAfter });
    page.events.forEach(tell);
    if (page.receivedAt && !(heard && heard > page.receivedAt)) heard = page.receivedAt;
    if (!page.next) return heard;
    from = page.next;
  }
}

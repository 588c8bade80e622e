import { getOwnProperty } from "../../../formats/own.ts";
import type { OutlineQuery } from "../../data/documents.ts";
import { tickingTime } from "../../parts/time/time.tsx";
import type { TimeRange } from "./timeline/axis.ts";

/** Kind of an event, as reported by the server. */
export type EventKind = "turn" | "llm" | "tool" | "subagent";

const KINDS: Record<string, EventKind> = {
  turn: "turn",
  tool: "tool",
  llm: "llm",
  subagent: "subagent",
  other: "tool",
};

/** Event of a session's outline, with parent and children in the tree. */
export interface SessionEvent {
  id: string;
  parentId: string | null;
  name: string;
  type: string | null;
  failed: boolean;
  latency: number | null;
  at: number;
  brief: string;
  result: string | null;
  checkpoints: readonly number[] | null;
  kind: EventKind;
  /** True until the event has ended. */
  open: boolean;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  parent: SessionEvent | null;
  children: SessionEvent[];
}

/** Events of a session as a tree. */
export interface EventTree {
  byId: ReadonlyMap<string, SessionEvent>;
  /** All events, oldest first. */
  all: readonly SessionEvent[];
  roots: readonly SessionEvent[];
  begin: number;
  end: number;
  /** True if any event has not ended. */
  open: boolean;
  failures: readonly SessionEvent[];
}

type Page = OutlineQuery["recordedOutline"];

/** Converts a page, which contains one list per field, to events. */
export const toEvents = (page: Page): SessionEvent[] =>
  page.ids.map((id, n) => ({
    id: String(id),
    parentId: page.parentIds[n] as string | null,
    name: page.names[n] ?? "",
    type: page.types[n] ?? null,
    failed: page.failed[n] === 1,
    latency: page.latencies[n] ?? null,
    at: page.timestamps[n] ?? 0,
    brief: page.briefs[n] ?? "",
    result: page.results[n] ?? null,
    checkpoints: page.checkpoints[n] ?? null,
    kind: getOwnProperty(KINDS, page.kinds[n] ?? "") ?? "tool",
    open: page.open[n] === 1,
    model: page.models[n] ?? null,
    inputTokens: page.inputTokens[n] ?? null,
    outputTokens: page.outputTokens[n] ?? null,
    cost: page.costs[n] ?? null,
    parent: null,
    children: [],
  }));

/**
 * Builds the tree of events. An event whose parent is missing becomes a root. If parents form a cycle, the earliest
 * event of the cycle becomes a root.
 */
export function buildEventTree(events: Iterable<SessionEvent>): EventTree {
  const all = [...events].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const byId = new Map(all.map((event) => [event.id, event]));
  for (const event of all) {
    event.parent = (event.parentId !== null && byId.get(event.parentId)) || null;
    event.children = [];
  }
  breakCircles(all);
  const roots: SessionEvent[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const event of all) {
    (event.parent?.children ?? roots).push(event);
    end = Math.max(end, event.at + (event.latency ?? 0));
  }
  const begin = all[0]?.at ?? 0;
  const open = all.some((event) => event.open);
  return { byId, all, roots, begin, end: Math.max(end, begin + 1), open, failures: all.filter(({ failed }) => failed) };
}

/**
 * Makes the earliest event of each cycle of parents a root. If several events have the earliest time, the event with
 * the smallest id becomes the root.
 */
function breakCircles(all: readonly SessionEvent[]): void {
  const sound = new Set<SessionEvent>();
  for (const event of all) {
    const path = new Set<SessionEvent>();
    let at: SessionEvent | null = event;
    while (at && !sound.has(at) && !path.has(at)) {
      path.add(at);
      at = at.parent;
    }
    if (at && path.has(at)) earliest(at).parent = null;
    for (const each of path) sound.add(each);
  }
}

function earliest(start: SessionEvent): SessionEvent {
  let found = start;
  for (let at = start.parent; at && at !== start; at = at.parent) {
    if (at.at < found.at || (at.at === found.at && at.id < found.id)) found = at;
  }
  return found;
}

/** Returns the duration of an event in milliseconds. An open event lasts until now. */
export const computeEventDuration = ({ open, at, latency }: SessionEvent): number | null =>
  open ? Math.max(0, tickingTime.value - at) : latency;

/**
 * Returns the index of the first row whose event begins in a time range. If no event begins in the range, returns the
 * index of the last row before the range, or -1.
 */
export function findFirstRowIndex(rows: readonly VisibleTreeRow[], { from, to }: TimeRange): number {
  const within = rows.findIndex(({ event }) => event.at >= from && event.at <= to);
  return within >= 0 ? within : rows.findLastIndex(({ event }) => event.at < from);
}

/**
 * Returns the nearest event after or before the index `from` for which `fits` returns true. The search wraps around at
 * the ends of the list.
 */
export function findNextEvent(
  events: readonly SessionEvent[],
  from: number,
  by: 1 | -1,
  fits: (event: SessionEvent) => boolean,
): SessionEvent | undefined {
  for (let n = 1; n <= events.length; n += 1) {
    const at = from < 0 && by < 0 ? events.length - n : from + n * by;
    const event = events[(at + 2 * events.length) % events.length];
    if (event && fits(event)) return event;
  }
  return undefined;
}

export interface VisibleTreeRow {
  event: SessionEvent;
  level: number;
  /** Position among the visible siblings, from 1, and number of visible siblings including the event. */
  position: number;
  siblings: number;
}

/** Returns the visible rows. Children of folded or hidden events are not visible. */
export function listVisibleRows(
  roots: readonly SessionEvent[],
  folded: ReadonlySet<string>,
  shown: (event: SessionEvent) => boolean,
) {
  const rows: VisibleTreeRow[] = [];
  const walk = (events: readonly SessionEvent[], level: number) => {
    const here = events.filter(shown);
    for (const [at, event] of here.entries()) {
      rows.push({ event, level, position: at + 1, siblings: here.length });
      if (event.children.length > 0 && !folded.has(event.id)) walk(event.children, level + 1);
    }
  };
  walk(roots, 1);
  return rows;
}

import { readOwn } from "../../../formats/own.ts";
import type { OutlineQuery } from "../../data/documents.ts";
import { ticking } from "../../parts/time/time.tsx";
import type { View } from "./timeline/axis.ts";

/** The kind of an event, as the server says. */
export type Kind = "turn" | "llm" | "tool" | "subagent";

const KINDS: Record<string, Kind> = { turn: "turn", tool: "tool", llm: "llm", subagent: "subagent", other: "tool" };

/** An event of a session, as the outline has it, in its place in the tree. */
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
  kind: Kind;
  /** It has not ended. */
  open: boolean;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  cost: number | null;
  parent: SessionEvent | null;
  children: SessionEvent[];
}

/** The events of a session as a tree. */
export interface EventTree {
  byId: ReadonlyMap<string, SessionEvent>;
  /** Oldest first. */
  all: readonly SessionEvent[];
  roots: readonly SessionEvent[];
  begin: number;
  end: number;
  /** Some of them have not ended. */
  open: boolean;
  failures: readonly SessionEvent[];
}

type Page = OutlineQuery["recordedOutline"];

/** The events of a page, from its lists. */
export const readPage = (page: Page): SessionEvent[] =>
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
    kind: readOwn(KINDS, page.kinds[n] ?? "") ?? "tool",
    open: page.open[n] === 1,
    model: page.models[n] ?? null,
    inputTokens: page.inputTokens[n] ?? null,
    outputTokens: page.outputTokens[n] ?? null,
    cost: page.costs[n] ?? null,
    parent: null,
    children: [],
  }));

/** Puts events into their tree: parents that are not there, and circles of parents, leave an event at the top. */
export function treeOf(events: Iterable<SessionEvent>): EventTree {
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

/** The earliest of a circle, which is the first that is met here, becomes the top of it. */
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

/** The duration of an event; an open one goes on until now. */
export const tookOf = ({ open, at, latency }: SessionEvent): number | null =>
  open ? Math.max(0, ticking.value - at) : latency;

/** The first row that begins in a time; where none does, the last one before it. */
export function firstIn(rows: readonly TreeRow[], { from, to }: View): number {
  const within = rows.findIndex(({ event }) => event.at >= from && event.at <= to);
  return within >= 0 ? within : rows.findLastIndex(({ event }) => event.at < from);
}

/** The next event of a list after one, or before it, that fits; behind the last one the first. */
export function nextFitting(
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

/** A row of the tree that is to be seen. */
export interface TreeRow {
  event: SessionEvent;
  level: number;
  /** Its place among its siblings, from 1, and how many they are. */
  position: number;
  siblings: number;
}

/** The rows that are to be seen: what is folded or left out is not, nor what stands under it. */
export function rowsOf(
  roots: readonly SessionEvent[],
  folded: ReadonlySet<string>,
  shown: (event: SessionEvent) => boolean,
) {
  const rows: TreeRow[] = [];
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

import { SESSION } from "../api/documents.ts";
import { oneLine } from "../output/safe.ts";
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
export interface EventPage {
  events: EventRow[];
  next: string | null;
  /** When the latest of them was received. */
  receivedAt: string | null;
}

/** An event as JSON. Part of the interface: docs/cli.md. */
export type EventRow = ReturnType<typeof rowAt>;

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
export interface Range {
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

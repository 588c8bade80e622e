import type { EventKind, EventTree, SessionEvent } from "../events.ts";
import type { SearchResult } from "../timeline/search.ts";

export const EVENT_KIND_LABELS: readonly [kind: EventKind, name: string][] = [
  ["turn", "Turns"],
  ["tool", "Tools"],
  ["llm", "Model"],
  ["subagent", "Subagents"],
];

/** Filter of a log, as read from the URL. */
export interface LogFilter {
  /** Kinds of events to show. */
  kinds: ReadonlySet<EventKind>;
  /** Name of the tool to show; empty for all tools. */
  tool: string;
  failed: boolean;
  /** Text to search for. */
  text: string;
  /** True to show only events that contain the text. */
  matches: boolean;
}

const ALL: ReadonlySet<EventKind> = new Set(EVENT_KIND_LABELS.map(([kind]) => kind));

/** Reads the filter from the parameters of a URL. Ignores unknown kinds of events. */
export function readLogFilter(search: URLSearchParams): LogFilter {
  const named = (search.get("kind") ?? "").split(",").filter((name): name is EventKind => ALL.has(name as EventKind));
  return {
    kinds: named.length > 0 ? new Set(named) : ALL,
    tool: search.get("tool") ?? "",
    failed: search.has("failed"),
    text: search.get("q") ?? "",
    matches: search.has("matches"),
  };
}

/**
 * Returns the URL parameter `kind` after the user toggles a kind of event. Returns undefined if all kinds or no kinds
 * are selected, because the log then shows all kinds.
 */
export function buildKindParameter({ kinds }: LogFilter, toggled: EventKind): string | undefined {
  const next = EVENT_KIND_LABELS.map(([kind]) => kind).filter((kind) => kinds.has(kind) !== (kind === toggled));
  return next.length === 0 || next.length === ALL.size ? undefined : next.join(",");
}

/** Returns the events that pass the filter, oldest first. */
export const filterEvents = (
  { all }: EventTree,
  filter: LogFilter,
  found: SearchResult | undefined,
): readonly SessionEvent[] =>
  all.filter(
    ({ id, kind, name, failed }) =>
      filter.kinds.has(kind) &&
      (!filter.tool || (kind === "tool" && name === filter.tool)) &&
      (!filter.failed || failed) &&
      (!filter.matches || !found || found.ids.has(id)),
  );

/** Counts the calls of each tool of a session, most frequent first. */
export function countToolCalls({ all }: EventTree): [name: string, calls: number][] {
  const calls = new Map<string, number>();
  for (const { kind, name } of all) if (kind === "tool") calls.set(name, (calls.get(name) ?? 0) + 1);
  return [...calls].sort(([, a], [, b]) => b - a);
}

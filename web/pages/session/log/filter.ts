import type { EventTree, Kind, SessionEvent } from "../events.ts";
import type { Found } from "../timeline/search.ts";

/** The kinds of events, with their names. */
export const KINDS: readonly [kind: Kind, name: string][] = [
  ["turn", "Turns"],
  ["tool", "Tools"],
  ["llm", "Model"],
  ["subagent", "Subagents"],
];

/** The conditions of a log, as its address has them. */
export interface LogFilter {
  /** The kinds that are shown. */
  kinds: ReadonlySet<Kind>;
  /** The name of the only tool; empty for all. */
  tool: string;
  failed: boolean;
  /** The text that is looked for. */
  text: string;
  /** Only events with the text are shown. */
  matches: boolean;
}

const ALL: ReadonlySet<Kind> = new Set(KINDS.map(([kind]) => kind));

/** Reads the conditions of an address; a kind that there is none of does not count. */
export function logFilterOf(search: URLSearchParams): LogFilter {
  const named = (search.get("kind") ?? "").split(",").filter((name): name is Kind => ALL.has(name as Kind));
  return {
    kinds: named.length > 0 ? new Set(named) : ALL,
    tool: search.get("tool") ?? "",
    failed: search.has("failed"),
    text: search.get("q") ?? "",
    matches: search.has("matches"),
  };
}

/** The value of `kind` in the address once a kind is switched on or off; undefined where all are shown. */
export function kindsWith({ kinds }: LogFilter, toggled: Kind): string | undefined {
  const next = KINDS.map(([kind]) => kind).filter((kind) => kinds.has(kind) !== (kind === toggled));
  return next.length === 0 || next.length === ALL.size ? undefined : next.join(",");
}

/** The events that pass the conditions, oldest first. */
export const shownOf = ({ all }: EventTree, filter: LogFilter, found: Found | undefined): readonly SessionEvent[] =>
  all.filter(
    ({ id, kind, name, failed }) =>
      filter.kinds.has(kind) &&
      (!filter.tool || (kind === "tool" && name === filter.tool)) &&
      (!filter.failed || failed) &&
      (!filter.matches || !found || found.ids.has(id)),
  );

/** The tools of a session with how often each was called, those called most first. */
export function toolsOf({ all }: EventTree): [name: string, calls: number][] {
  const calls = new Map<string, number>();
  for (const { kind, name } of all) if (kind === "tool") calls.set(name, (calls.get(name) ?? 0) + 1);
  return [...calls].sort(([, a], [, b]) => b - a);
}

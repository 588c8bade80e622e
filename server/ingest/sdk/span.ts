import { asText, type Payload } from "../fields.ts";
import type { Moment, Span, Value } from "../otlp/model.ts";

/** The members of a record that every SDK has, by its own names for them. */
export interface SpanMembers {
  /** The name under which sessions of this SDK are kept apart from those of others. */
  source: string;
  trace: unknown;
  id: unknown;
  parent?: unknown;
  name?: unknown;
  /** ISO text, or epoch ms. */
  start?: unknown;
  end?: unknown;
  /** The failure's text; a record with one has failed. */
  error?: unknown;
}

/** A record of an SDK as the span that its own exporter of OpenTelemetry would send: the conventions read both. */
export function spanOf(members: SpanMembers, attributes: Record<string, unknown>): Span {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  const error = asText(members.error) ?? "";
  return {
    resource: new Map([["service.name", members.source]]),
    name: idOf(members.name),
    traceId: idOf(members.trace),
    spanId: idOf(members.id),
    parentSpanId: idOf(members.parent),
    attributes: new Map(present as [string, Value][]),
    characters: present.reduce((sum, [, value]) => sum + charactersOf(value), error.length),
    start: momentOf(members.start),
    end: momentOf(members.end),
    events: [],
    droppedEvents: 0,
    failed: error !== "",
    statusMessage: error,
  };
}

/** The members of an object under names that begin with a prefix. */
export const under = (prefix: string, item: Payload): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [prefix + key, value]));

const idOf = (value: unknown): string => (typeof value === "string" ? value : "");

function momentOf(value: unknown): Moment {
  const ms = typeof value === "string" ? Date.parse(value) : value;
  return { ms: typeof ms === "number" && ms > 0 ? Math.round(ms) : 0, nanos: 0 };
}

/** The characters of the texts in a value that was parsed within bounds. */
function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + charactersOf(member), 0);
}

import { MAX_ERROR } from "./bounds.ts";
import type { EventKind, Observation, ObservedText, Usage } from "./observation.ts";

/**
 * What is known of one event, as a state that merges: each field is the greatest of all that was told of it, in an order
 * of its own. So facts meet in any order, and any number of times, in the same state.
 */
export interface Facts {
  source: string;
  kind: EventKind;
  /** The agent's own ids: of the event, of its turn, of the call that started it. */
  id?: string;
  turn?: string;
  parentCall?: string;
  trace?: string;
  span?: string;
  parentSpan?: string;
  /** By the agent's clock, and by arrival here; epoch ms. */
  startedAt?: number;
  startSeen?: number;
  endedAt?: number;
  endSeen?: number;
  latency?: number;
  name?: string;
  genericName?: string;
  args?: ObservedText;
  result?: ObservedText;
  success?: boolean;
  error?: string;
  model?: string;
  usage?: Usage;
  metadata?: Record<string, unknown>;
  /** Its end was told; or half an hour passed without a word. */
  ended?: true;
  /** It was answered without being run, unless somebody tells how it went. */
  refused?: true;
  silent?: true;
}

/** What one observation of an event says about it. */
export function factsOf(observation: Observation, kind: EventKind): Facts {
  const { source, id, turn, parentCall, trace, span, parentSpan, name, nameIsGeneric, args, result } = observation;
  const { latency, success, error, model, usage, metadata, isRefusedUnlessTold } = observation;
  return defined<Facts>({
    source,
    kind,
    id,
    turn: kind === "turn" ? undefined : turn,
    parentCall: parentCall === id ? undefined : parentCall,
    trace,
    span,
    parentSpan,
    ...timesOf(observation, kind),
    latency,
    ...(nameIsGeneric ? { genericName: name } : { name }),
    args,
    result,
    success: success ?? (error === undefined ? undefined : false),
    error: error?.slice(0, MAX_ERROR),
    model,
    usage,
    metadata,
    ended: isEnd(observation, kind) || undefined,
    refused: isRefusedUnlessTold || undefined,
  });
}

/** Whether it tells that the event is over: a model call and the like are told of when they are. */
function isEnd({ ends, endedAt, result, error, latency }: Observation, kind: EventKind): boolean {
  if (kind === "turn") return ends !== undefined;
  return (
    ends !== undefined ||
    endedAt !== undefined ||
    result !== undefined ||
    error !== undefined ||
    latency !== undefined ||
    kind === "llm" ||
    kind === "other"
  );
}

function timesOf({ startedAt, endedAt, latency, isArrival }: Observation, kind: EventKind): Partial<Facts> {
  if (isArrival) return { startSeen: startedAt, endSeen: endedAt } as Partial<Facts>;
  const start = startedAt ?? (endedAt !== undefined && latency !== undefined ? endedAt - latency : undefined);
  const end =
    endedAt ?? (startedAt !== undefined && latency !== undefined && kind !== "turn" ? startedAt + latency : undefined);
  return { startedAt: start, endedAt: end } as Partial<Facts>;
}

/** Without members that are undefined, so that what is equal looks equal. */
export function defined<T extends object>(object: { [Key in keyof T]?: T[Key] | undefined }): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

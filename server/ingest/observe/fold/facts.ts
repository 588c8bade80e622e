import { MAX_ERROR } from "../../rules/bounds.ts";
import type { EventKind, Observation } from "../observation.ts";
import type { StoredObservation } from "../store/observation-rows.ts";

/**
 * The facts about one event, as a state that merges: each field is the greatest of all reported values, in an order of
 * its own. So facts in any order, and any number of times, merge into the same state.
 */
export interface Facts extends Omit<Observation, Unmerged> {
  kind: EventKind;
  /** `startedAt` and `endedAt` are by the agent's clock, these by arrival here; epoch ms. */
  startSeen?: number;
  endSeen?: number;
  /** A name, where another source knows a better one. */
  genericName?: string;
  /** Its end was observed. */
  ended?: true;
  /** It was answered without being run, unless another source reports its result. */
  refused?: true;
}

/** Members of an observation that are no facts about one event, or stand in facts in another form. */
type Unmerged =
  | ("isHook" | "isTranscript" | "isArrival" | "isUnknown" | "isShown" | "isRefusedUnlessTold" | "nameIsGeneric")
  | ("session" | "ends" | "waits" | "user" | "sessionMetadata" | "input");

/** An observation in its session, with the event that it is about. */
export interface Kept extends StoredObservation {
  session_id: string;
  /** Null for an observation of the session alone, or one that only links spans. */
  facts: Facts | null;
  event_id: string | null;
}

/** An event before its place is known. */
export interface Draft {
  session_id: string;
  facts: Facts;
  kept: Kept[];
  /** It was found by its content, and is no other's part. */
  isMatched: boolean;
}

/**
 * Reads the facts in one observation. It is one literal of one shape: an export holds thousands, and spreads and lists
 * of entries cost more than all other work on them.
 */
export function factsOf(observation: Observation, kind: EventKind): Facts {
  const { id, turn, parentCall, name, nameIsGeneric, success, error } = observation;
  return {
    source: observation.source,
    kind,
    id,
    turn: kind === "turn" ? undefined : turn,
    parentCall: parentCall === id ? undefined : parentCall,
    trace: observation.trace,
    span: observation.span,
    parentSpan: observation.parentSpan,
    startedAt: observation.isArrival ? undefined : startTold(observation),
    startSeen: observation.isArrival ? observation.startedAt : undefined,
    endedAt: observation.isArrival ? undefined : endTold(observation, kind),
    endSeen: observation.isArrival ? observation.endedAt : undefined,
    latency: observation.latency,
    name: nameIsGeneric ? undefined : name,
    genericName: nameIsGeneric ? name : undefined,
    args: observation.args,
    result: observation.result,
    success: success ?? (error === undefined ? undefined : false),
    error: error !== undefined && error.length > MAX_ERROR ? error.slice(0, MAX_ERROR) : error,
    model: observation.model,
    usage: observation.usage,
    metadata: observation.metadata,
    ended: isEnd(observation, kind) || undefined,
    refused: observation.isRefusedUnlessTold || undefined,
  } as Facts;
}

/** Reports whether the observation ends the event: a model call and the like are observed at their end. */
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

const startTold = ({ startedAt, endedAt, latency }: Observation): number | undefined =>
  startedAt ?? (endedAt !== undefined && latency !== undefined ? endedAt - latency : undefined);

const endTold = ({ startedAt, endedAt, latency }: Observation, kind: EventKind): number | undefined =>
  endedAt ?? (startedAt !== undefined && latency !== undefined && kind !== "turn" ? startedAt + latency : undefined);

/** Drops members that are undefined, so that equal values compare as equal. */
export function defined<T extends object>(object: { [Key in keyof T]?: T[Key] | undefined }): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}

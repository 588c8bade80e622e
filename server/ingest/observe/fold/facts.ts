import { getOwnProperty } from "../../../../formats/own.ts";
import { withoutUndefined } from "../../../agents/fields.ts";
import type { EventKind, Observation, ObservedText, ReportedUsage } from "../../../agents/observation.ts";
import { MAX_ERROR_CHARS } from "../../rules/bounds.ts";
import type { StoredObservation } from "../store/observation-rows.ts";

/**
 * Facts that the observations report about one event. Two `EventFacts` of the same event can be merged: each field has an order, and the value
 * that comes last in this order is kept. The result is therefore the same for any order and any repeats.
 */
export interface EventFacts extends Omit<Observation, Unmerged> {
  kind: EventKind;
  /**
   * `startedAt` and `endedAt` come from the agent's clock; `startSeen` and `endSeen` are arrival times on the server,
   * epoch ms.
   */
  startSeen?: number;
  endSeen?: number;
  /** Name to use unless another source provides a better one. */
  genericName?: string;
  /** True if the end was reported. */
  ended?: true;
  /**
   * True if a source reports the call without showing whether the call was executed or rejected. The call then counts
   * as rejected, unless another source reports success or failure.
   */
  refused?: true;
}

/** Properties of an observation that facts do not contain, or contain in another form. */
type Unmerged =
  | ("isHook" | "isTranscript" | "isArrival" | "isUnknown" | "isShown" | "isRefusedUnlessTold" | "nameIsGeneric")
  | ("session" | "copyOf" | "ends" | "waits" | "user" | "sessionMetadata" | "input");

/** Observation with the ids of its session and event. */
export interface PlacedObservation extends StoredObservation {
  session_id: string;
  /**
   * Null if the observation creates no event, for example because the observation describes only the session, or
   * because a span only links other spans.
   */
  facts: EventFacts | null;
  event_id: string | null;
}

/** Event before its position in the session is known. */
export interface EventDraft {
  session_id: string;
  facts: EventFacts;
  kept: PlacedObservation[];
  /** True if the event was matched by content and was not merged into another event. */
  isMatched: boolean;
}

/** Merges the second draft of an event into the first draft. `id` is the id of the event. */
export function mergeDraft(into: EventDraft, id: string, { facts, kept }: EventDraft): void {
  into.facts = mergeFacts(into.facts, facts);
  for (const each of kept) {
    each.event_id = id;
    into.kept.push(each);
  }
}

/**
 * Reads the facts from one observation. The code uses one object literal with a fixed shape: an export contains
 * thousands of observations, and object spreads or lists of entries would take more time than everything else.
 */
export function readFacts(observation: Observation, kind: EventKind): EventFacts {
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
    error: error !== undefined && error.length > MAX_ERROR_CHARS ? error.slice(0, MAX_ERROR_CHARS) : error,
    model: observation.model,
    usage: observation.usage,
    metadata: observation.metadata,
    ended: isEnd(observation, kind) || undefined,
    refused: observation.isRefusedUnlessTold || undefined,
  } as EventFacts;
}

/** Returns true if the observation ends the event. Model calls and events of kind `other` are reported at their end. */
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

/** Precedence of kinds: the first kind wins. */
const KINDS: readonly EventKind[] = ["turn", "tool", "subagent", "llm", "other"];

/** Chooses which of two values to keep, regardless of their order. */
type Choose<T> = (a: T, b: T) => T;

const least: Choose<number> = (a, b) => Math.min(a, b);
const most: Choose<number> = (a, b) => Math.max(a, b);
const first: Choose<string> = (a, b) => (a < b ? a : b);
const longest: Choose<string> = (a, b) => (a.length === b.length ? first(a, b) : a.length > b.length ? a : b);
const both: Choose<boolean> = (a, b) => a && b;
const yes: Choose<true> = () => true;
const kind: Choose<EventKind> = (a, b) => (KINDS.indexOf(a) < KINDS.indexOf(b) ? a : b);

/** Prefers a complete text to a truncated text, and the longer of two equally complete texts. */
const text: Choose<ObservedText> = (a, b) => {
  if (Boolean(a.truncated) !== Boolean(b.truncated)) return a.truncated ? b : a;
  return longest(a.text, b.text) === a.text ? a : b;
};

const usage: Choose<ReportedUsage> = (a, b) =>
  withoutUndefined<ReportedUsage>({
    inputTokens: either(a.inputTokens, b.inputTokens, most),
    outputTokens: either(a.outputTokens, b.outputTokens, most),
    cacheReadTokens: either(a.cacheReadTokens, b.cacheReadTokens, most),
    cacheWriteTokens: either(a.cacheWriteTokens, b.cacheWriteTokens, most),
    cost: either(a.cost, b.cost, most),
  });

/**
 * Merges objects by key; of two values, the one with the longer JSON wins. Keys are sorted, so that equal states have
 * equal JSON.
 */
export const mergeMembers: Choose<Record<string, unknown>> = (a, b) => {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(
    keys.map((key): [string, unknown] => [key, either(getOwnProperty(a, key), getOwnProperty(b, key), longestJson)]),
  );
};

const longestJson: Choose<unknown> = (a, b) => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return longest(left, right) === left ? a : b;
};

const FIELDS: { [Key in keyof EventFacts]-?: Choose<NonNullable<EventFacts[Key]>> } = {
  source: first,
  kind,
  id: first,
  turn: first,
  parentCall: first,
  trace: first,
  span: first,
  parentSpan: first,
  startedAt: least,
  startSeen: least,
  endedAt: most,
  endSeen: least,
  latency: most,
  name: first,
  genericName: first,
  args: text,
  result: text,
  success: both,
  error: longest,
  model: first,
  usage,
  metadata: mergeMembers,
  ended: yes,
  refused: yes,
};

/** Merges two states of one event. Order and repeats make no difference. */
export function mergeFacts(a: EventFacts, b: EventFacts): EventFacts {
  const merged: Record<string, unknown> = {};
  for (const [key, choose] of Object.entries(FIELDS) as [keyof EventFacts, Choose<unknown>][]) {
    const value = either(a[key], b[key], choose);
    if (value !== undefined) merged[key] = value;
  }
  return merged as unknown as EventFacts;
}

const either = <T>(a: T | undefined, b: T | undefined, choose: Choose<T>): T | undefined =>
  a === undefined ? b : b === undefined ? a : choose(a, b);

/** Returns the first text in sort order. */
export const smallestText = (texts: readonly string[]): string => texts.reduce((a, b) => (a < b ? a : b));

import { readOwn } from "../../../../formats/own.ts";
import { MAX_ERROR } from "../../rules/bounds.ts";
import type { EventKind, Observation, ObservedText, Usage } from "../observation.ts";
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

/** Takes the reports of an event into another that is the same. */
export function takeIn(into: Draft, id: string, { facts, kept }: Draft): void {
  into.facts = merge(into.facts, facts);
  for (const each of kept) {
    each.event_id = id;
    into.kept.push(each);
  }
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

/** The order in which one of two kinds wins. */
const KINDS: readonly EventKind[] = ["turn", "tool", "subagent", "llm", "other"];

/** Picks the one of two values to keep, whichever comes first. */
type Choose<T> = (a: T, b: T) => T;

const least: Choose<number> = (a, b) => Math.min(a, b);
const most: Choose<number> = (a, b) => Math.max(a, b);
const first: Choose<string> = (a, b) => (a < b ? a : b);
const longest: Choose<string> = (a, b) => (a.length === b.length ? first(a, b) : a.length > b.length ? a : b);
const both: Choose<boolean> = (a, b) => a && b;
const yes: Choose<true> = () => true;
const kind: Choose<EventKind> = (a, b) => (KINDS.indexOf(a) < KINDS.indexOf(b) ? a : b);

/** A whole text before a cut one, of two such the longer. */
const text: Choose<ObservedText> = (a, b) => {
  if (Boolean(a.truncated) !== Boolean(b.truncated)) return a.truncated ? b : a;
  return longest(a.text, b.text) === a.text ? a : b;
};

const usage: Choose<Usage> = (a, b) =>
  defined<Usage>({
    inputTokens: either(a.inputTokens, b.inputTokens, most),
    outputTokens: either(a.outputTokens, b.outputTokens, most),
    cacheReadTokens: either(a.cacheReadTokens, b.cacheReadTokens, most),
    cacheWriteTokens: either(a.cacheWriteTokens, b.cacheWriteTokens, most),
    cost: either(a.cost, b.cost, most),
  });

/** Key by key; of two values the one whose JSON is longer. Keys in order, so that the state has one spelling. */
export const members: Choose<Record<string, unknown>> = (a, b) => {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return Object.fromEntries(
    keys.map((key): [string, unknown] => [key, either(readOwn(a, key), readOwn(b, key), longestJson)]),
  );
};

const longestJson: Choose<unknown> = (a, b) => {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return longest(left, right) === left ? a : b;
};

const FIELDS: { [Key in keyof Facts]-?: Choose<NonNullable<Facts[Key]>> } = {
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
  metadata: members,
  ended: yes,
  refused: yes,
};

/** Merges two states of one event. The order and repeats make no difference. */
export function merge(a: Facts, b: Facts): Facts {
  const merged: Record<string, unknown> = {};
  for (const [key, choose] of Object.entries(FIELDS) as [keyof Facts, Choose<unknown>][]) {
    const value = either(a[key], b[key], choose);
    if (value !== undefined) merged[key] = value;
  }
  return merged as unknown as Facts;
}

const either = <T>(a: T | undefined, b: T | undefined, choose: Choose<T>): T | undefined =>
  a === undefined ? b : b === undefined ? a : choose(a, b);

/** The first of some texts in order. */
export const leastOf = (texts: readonly string[]): string => texts.reduce((a, b) => (a < b ? a : b));

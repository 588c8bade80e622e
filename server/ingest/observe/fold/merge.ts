import type { EventKind, ObservedText, Usage } from "../observation.ts";
import { defined, type Facts } from "./facts.ts";

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
  return Object.fromEntries(keys.map((key): [string, unknown] => [key, either(a[key], b[key], longestJson)]));
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

import { parseAbsoluteTime, parseDurationFrom } from "../../../formats/moments.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { readSessionSort } from "./sort.ts";

/** Condition of the address. */
export interface SessionCondition {
  /** Parameter and value in the address. */
  name: string;
  value: string;
  /** Label and verb with which the page shows the condition, such as `agent` and `contains`. */
  label: string;
  verb: string;
}

/** Names of the filters that the user can type, each with the verb that describes the comparison. */
const VERBS: Readonly<Record<string, string>> = { agent: "contains", tool: "is", user: "is", client: "contains" };
/** URL parameter that contains the text to search for in events. */
const TEXT = "q";

/** Filters that the user can type, for suggestions. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(VERBS), "trait.", "meta."];

/** URL parameter that filters by a key of the traits or the metadata, such as `trait.plan` in `trait.plan=pro`. */
const KEYED = /^(trait|meta)\.(.+)$/;

/** Returns the filter conditions in a URL, in the order of the URL. */
export function readSessionConditions(search: URLSearchParams): SessionCondition[] {
  return [...search].flatMap(([name, value]) => {
    const [, kind, key] = KEYED.exec(name) ?? [];
    if (kind) return [{ name, value, label: `${kind === "trait" ? "trait" : "metadata"} ${key}`, verb: "is" }];
    if (name === TEXT) return [{ name, value, label: "text", verb: "contains" }];
    const verb = Object.hasOwn(VERBS, name) && getOwnProperty(VERBS, name);
    return verb ? [{ name, value, label: name, verb }] : [];
  });
}

/** Returns names in a search text that look like filters but do not exist, such as `model` in `model:gpt-5`. */
export function findUnknownFilters(search: URLSearchParams): string[] {
  const typed = search.get(TEXT)?.matchAll(/(?<!\S)([a-z][\w.-]*):[^\s/]/gi) ?? [];
  return [...new Set([...typed].map(([, name]) => name ?? ""))];
}

/** Default time range above the list. */
const USUAL_RANGE = "-P1D";

/** Returns true for a time that the server accepts: a point in time, or a duration relative to now. */
const isTime = (text: string): boolean =>
  (parseAbsoluteTime(text) ?? parseDurationFrom(text, new Date())) !== undefined;

/** Reads a time from a URL parameter; undefined if the time is missing or invalid. */
function readTime(search: URLSearchParams, name: string): string | undefined {
  const text = search.get(name) ?? "";
  return isTime(text) ? text : undefined;
}

/** Returns the invalid times in a URL. The filter ignores the invalid times, and the page shows a hint. */
export const findInvalidTimes = (search: URLSearchParams): { name: string; value: string }[] =>
  ["range", "from", "to"].flatMap((name) => {
    const value = search.get(name);
    return value && !isTime(value) ? [{ name, value }] : [];
  });

/** Returns the beginning of the time range that the page shows above the list. */
export const readRangeStart = (search: URLSearchParams): string => readTime(search, "range") ?? USUAL_RANGE;

/** Returns the part of the time range that the user selected in the chart. */
export function readSelectedRange(search: URLSearchParams): { from?: string; to?: string } {
  const [from, to] = [readTime(search, "from"), readTime(search, "to")];
  return { ...(from && { from }), ...(to && { to }) };
}

/**
 * Builds the filter of the list from a URL. A list that is not sorted by start time is limited to the time range above
 * the list, because sorting all sessions may exceed the server's limits.
 */
export function buildSessionFilter(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  const { from, to } = readSelectedRange(search);
  const timed = readSessionSort(search).name !== "startedAt";
  if (from || timed) and.push({ startedAt: { gte: from ?? readRangeStart(search) } });
  if (to) and.push({ startedAt: { lt: to } });
  return and.length > 0 ? { and } : {};
}

/**
 * Builds the filter of sessions for a text search. The filter contains no time range, because the search applies the
 * time range to the events.
 */
export function buildTextSearchFilter(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  return and.length > 0 ? { and } : {};
}

function rulesOf(search: URLSearchParams): RecordedSessionFilter[] {
  const rules = readSessionConditions(search).flatMap((one) => toFilter(one) ?? []);
  return search.get("failed") ? [...rules, { hasFailures: { eq: true } }] : rules;
}

/**
 * Converts a condition to a filter. Returns undefined for the search text, because another query searches for the text.
 */
function toFilter({ name, value }: SessionCondition): RecordedSessionFilter | undefined {
  const keyed = KEYED.exec(name);
  if (keyed) {
    const condition = { key: keyed[2] ?? "", in: alternatives(value) };
    return keyed[1] === "trait" ? { user: { traits: condition } } : { metadata: condition };
  }
  if (name === "agent") return { agent: { containsIgnoreCase: value } };
  if (name === "user") return { user: { id: { eq: value } } };
  if (name === "client") return { clientConfig: { containsIgnoreCase: value } };
  if (name === "tool") return { tool: { eq: value } };
  return undefined;
}

/**
 * Returns the recorded values that a value from the URL matches. A URL contains only text, but the recorded value may
 * be a number or a boolean.
 */
function alternatives(value: string): unknown[] {
  const other = /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? [JSON.parse(value)] : [];
  return [value, ...other];
}

/** Parses typed conditions: `agent:claude-code trait.plan:pro words`. */
export function parseSessionFilter(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  const words = text.replace(/([\w.-]+):("([^"]*)"|\S+)/g, (all, name, value, inQuotes) => {
    if (!Object.hasOwn(VERBS, name) && name !== TEXT && !KEYED.test(name)) return all;
    found.push([name, inQuotes ?? value]);
    return " ";
  });
  const rest = words.replace(/\s+/g, " ").trim();
  return rest ? [...found, [TEXT, rest]] : found;
}

import { parseAbsolute, parseDuration } from "../../../formats/moments.ts";
import { readOwn } from "../../../formats/own.ts";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { readSessionSort } from "./sort.ts";

/** Condition of the address. */
export interface SessionCondition {
  /** Parameter and value in the address. */
  name: string;
  value: string;
  /** Label and verb, such as `agent` and `contains`. */
  label: string;
  verb: string;
}

/** Filters by name as typed, with the verb of the comparison. */
const VERBS: Readonly<Record<string, string>> = { agent: "contains", tool: "is", user: "is", client: "contains" };
/** Parameter of the text that events are searched for. */
const TEXT = "q";

/** Filters that the user can type, for suggestions. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(VERBS), "trait.", "meta."];

/** Condition on a key: `trait.plan=pro` in the address. */
const KEYED = /^(trait|meta)\.(.+)$/;

/** Returns the conditions of an address, in order. */
export function readSessionConditions(search: URLSearchParams): SessionCondition[] {
  return [...search].flatMap(([name, value]) => {
    const [, kind, key] = KEYED.exec(name) ?? [];
    if (kind) return [{ name, value, label: `${kind === "trait" ? "trait" : "metadata"} ${key}`, verb: "is" }];
    if (name === TEXT) return [{ name, value, label: "text", verb: "contains" }];
    const verb = Object.hasOwn(VERBS, name) && readOwn(VERBS, name);
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
const isTime = (text: string): boolean => (parseAbsolute(text) ?? parseDuration(text, new Date())) !== undefined;

/** Reads a time from an address; undefined if the time is missing or invalid. */
function readTime(search: URLSearchParams, name: string): string | undefined {
  const text = search.get(name) ?? "";
  return isTime(text) ? text : undefined;
}

/** Returns the invalid times of an address. The filter ignores these times, and the page shows a hint. */
export const findInvalidTimes = (search: URLSearchParams): { name: string; value: string }[] =>
  ["range", "from", "to"].flatMap((name) => {
    const value = search.get(name);
    return value && !isTime(value) ? [{ name, value }] : [];
  });

/** Returns the beginning of the time range above the list. */
export const readRange = (search: URLSearchParams): string => readTime(search, "range") ?? USUAL_RANGE;

/** Returns the selected part of the time range. */
export function readSelectedRange(search: URLSearchParams): { from?: string; to?: string } {
  const [from, to] = [readTime(search, "from"), readTime(search, "to")];
  return { ...(from && { from }), ...(to && { to }) };
}

/**
 * Builds the filter of the list for an address. A list in another order than time is limited to the time range above
 * the list. Sorting all sessions may exceed the server's limits.
 */
export function buildSessionFilter(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  const { from, to } = readSelectedRange(search);
  const timed = readSessionSort(search).name !== "startedAt";
  if (from || timed) and.push({ startedAt: { gte: from ?? readRange(search) } });
  if (to) and.push({ startedAt: { lt: to } });
  return and.length > 0 ? { and } : {};
}

/** Builds the filter of sessions for a text search. The time range applies to the events instead. */
export function buildSearchFilter(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  return and.length > 0 ? { and } : {};
}

function rulesOf(search: URLSearchParams): RecordedSessionFilter[] {
  const rules = readSessionConditions(search).flatMap((one) => toFilter(one) ?? []);
  return search.get("failed") ? [...rules, { hasFailures: { eq: true } }] : rules;
}

/** Converts a condition to a filter; undefined for the text, which another query searches. */
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
 * Returns the values that match a value of the address. An address contains only text, but the recorded value may be
 * a number or a boolean.
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

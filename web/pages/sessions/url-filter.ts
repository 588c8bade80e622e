import { parseAbsolute, parseDuration } from "../../../formats/moments.ts";
import { readOwn } from "../../../formats/own.ts";
import type { RecordedSessionFilter } from "../../data/documents.ts";
import { sortOf } from "./sort.ts";

/** One condition that the address holds. */
export interface Condition {
  /** Parameter of the address, with its value as it stands there. */
  name: string;
  value: string;
  /** Its label, such as `agent` and `contains`. */
  label: string;
  verb: string;
}

/** Filters by name, as they are typed, and how each compares. */
const VERBS: Readonly<Record<string, string>> = { agent: "contains", tool: "is", user: "is", client: "contains" };
/** The parameter of the text that events are searched for. */
const TEXT = "q";

/** The filters that can be typed, for suggestions. */
export const FILTER_NAMES: readonly string[] = [...Object.keys(VERBS), "trait.", "meta."];

/** Conditions on a key: `trait.plan=pro` in the address. */
const KEYED = /^(trait|meta)\.(.+)$/;

/** The conditions of an address, in its order. */
export function conditionsOf(search: URLSearchParams): Condition[] {
  return [...search].flatMap(([name, value]) => {
    const [, kind, key] = KEYED.exec(name) ?? [];
    if (kind) return [{ name, value, label: `${kind === "trait" ? "trait" : "metadata"} ${key}`, verb: "is" }];
    if (name === TEXT) return [{ name, value, label: "text", verb: "contains" }];
    const verb = Object.hasOwn(VERBS, name) && readOwn(VERBS, name);
    return verb ? [{ name, value, label: name, verb }] : [];
  });
}

/** Names in a searched text that look like filters, such as `model` in `model:gpt-5`, and are none. */
export function unknownFilters(search: URLSearchParams): string[] {
  const typed = search.get(TEXT)?.matchAll(/(?<!\S)([a-z][\w.-]*):[^\s/]/gi) ?? [];
  return [...new Set([...typed].map(([, name]) => name ?? ""))];
}

/** The time that is shown above the list, unless the address has another. */
const USUAL_RANGE = "-P1D";

/** A time as the server takes it: a moment, or a duration from now. */
const isTime = (text: string): boolean => (parseAbsolute(text) ?? parseDuration(text, new Date())) !== undefined;

/** A time of an address; undefined where it names none that can be read. */
function timeOf(search: URLSearchParams, name: string): string | undefined {
  const text = search.get(name) ?? "";
  return isTime(text) ? text : undefined;
}

/** The times of an address that cannot be read: they count for nothing, and the page says so. */
export const mistyped = (search: URLSearchParams): { name: string; value: string }[] =>
  ["range", "from", "to"].flatMap((name) => {
    const value = search.get(name);
    return value && !isTime(value) ? [{ name, value }] : [];
  });

/** The beginning of the time that is shown above the list. */
export const rangeOf = (search: URLSearchParams): string => timeOf(search, "range") ?? USUAL_RANGE;

/** The part of the time that the list is narrowed to. */
export function narrowedTo(search: URLSearchParams): { from?: string; to?: string } {
  const [from, to] = [timeOf(search, "from"), timeOf(search, "to")];
  return { ...(from && { from }), ...(to && { to }) };
}

/**
 * The query of the list for an address. A list in another order than time is limited to the time shown above it:
 * sorting all there ever was may be too much to read.
 */
export function filterOf(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  const { from, to } = narrowedTo(search);
  const timed = sortOf(search).name !== "startedAt";
  if (from || timed) and.push({ startedAt: { gte: from ?? rangeOf(search) } });
  if (to) and.push({ startedAt: { lt: to } });
  return and.length > 0 ? { and } : {};
}

/** The query for sessions with a text: the time is that of the events. */
export function searchFilterOf(search: URLSearchParams): RecordedSessionFilter {
  const and = rulesOf(search);
  return and.length > 0 ? { and } : {};
}

function rulesOf(search: URLSearchParams): RecordedSessionFilter[] {
  const rules = conditionsOf(search).flatMap((one) => toFilter(one) ?? []);
  return search.get("failed") ? [...rules, { hasFailures: { eq: true } }] : rules;
}

/** Undefined for the text: it is looked for in another way. */
function toFilter({ name, value }: Condition): RecordedSessionFilter | undefined {
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

/** A value in an address is text; the recorded one may be a number or true: both count. */
function alternatives(value: string): unknown[] {
  const other = /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? [JSON.parse(value)] : [];
  return [value, ...other];
}

/** Reads what was typed: `agent:claude-code trait.plan:pro words`. */
export function readTyped(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  const words = text.replace(/([\w.-]+):("([^"]*)"|\S+)/g, (all, name, value, inQuotes) => {
    if (!Object.hasOwn(VERBS, name) && name !== TEXT && !KEYED.test(name)) return all;
    found.push([name, inQuotes ?? value]);
    return " ";
  });
  const rest = words.replace(/\s+/g, " ").trim();
  return rest ? [...found, [TEXT, rest]] : found;
}

import { type Slices, whole } from "../../../concurrency/slices.ts";
import { isObject } from "../../../formats/json.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Scan } from "../../scans/index.ts";
import { MAX_ID, METADATA, PAYLOAD_BYTES } from "../rules/bounds.ts";
import type { Redaction } from "../rules/redaction.ts";
import { isFlat, isLikely } from "../rules/rules.ts";
import { cleanText, cutText, tidy } from "../rules/tidy.ts";
import { inputOf, isMatched } from "./fold/groups.ts";
import type { Observation, ObservedText, Usage, Waits } from "./observation.ts";

/** The texts that a key leaves out. */
export interface Omissions {
  prompts: boolean;
  toolContents: boolean;
}

/** The rules by which observations are cleaned on their way into the store. */
export interface Cleaning {
  redaction: Redaction;
  redactor: Redactor;
  omit: Omissions;
  /** When they arrived, epoch ms. */
  now: number;
}

/** The ids by which an observation belongs to others. */
const IDS = ["session", "trace", "span", "parentSpan", "id", "turn", "parentCall"] as const;

/** An observation that the database can store: clean, bounded, without secrets and what the key leaves out; or why not. */
function prepare(sent: Observation, cleaning: Cleaning): Observation | { reason: string } {
  if (!sent.session && !sent.trace) return { reason: "names neither a session nor a trace" };
  if (IDS.some((id) => isLong(sent[id])) || isLong(sent.user?.id))
    return { reason: `has an id of over ${MAX_ID} characters` };
  const { kind, name, model, args, result, error, success, latency, metadata, sessionMetadata, user, usage } = sent;
  const { waits } = sent;
  const isTalk = kind === "turn" || kind === "llm" || kind === "subagent" || waits?.for === "answer";
  const { redactor, omit, now } = cleaning;
  const isOmitted = isTalk ? omit.prompts : omit.toolContents;
  const [startedAt, endedAt] = [timeOf(sent.startedAt, now), timeOf(sent.endedAt, now)];
  const isLink = !kind && !sent.session && !sent.ends;
  const isTimeless = startedAt === undefined && endedAt === undefined && !isLink;
  // One literal, which keeps the order of members: an export holds thousands of them.
  const prepared = {
    ...sent,
    source: redactor.text(clean(sent.source)),
    // Without any time the moment of arrival stands for the beginning.
    startedAt: isTimeless ? now : startedAt,
    endedAt,
    latency: latency !== undefined && latency >= 0 && latency < 2 ** 53 ? Math.round(latency) : undefined,
    isArrival: isTimeless || sent.isArrival,
    name: name && redactor.text(clean(name)),
    args: isOmitted || !args ? undefined : bounded(redactedText(args, cleaning), redactor),
    result: isOmitted || !result ? undefined : bounded(result, redactor),
    success: isOmitted && !isTalk && error !== undefined ? false : success,
    error: (isOmitted && !isTalk) || error === undefined ? undefined : redactor.text(clean(error)),
    model: model && redactor.text(clean(model)),
    usage: usage && usageOf(usage),
    metadata: metadata && objectOf(metadata, cleaning),
    waits: waits && waitsOf(waits),
    user: user && userOf(user, cleaning),
    sessionMetadata: sessionMetadata && objectOf(sessionMetadata, cleaning),
    input: isMatched(sent) && kind !== "llm" ? redactor.digest(inputOf(args?.text)) : undefined,
  } as Observation;
  for (const id of IDS) {
    const word = prepared[id];
    if (word !== undefined) prepared[id] = clean(word);
  }
  return prepared;
}

const isLong = (id: string | undefined): boolean => id !== undefined && id.length > MAX_ID;

const clean = (text: string): string => (UNCLEAN.test(text) ? cleanText(text, { replaced: 0 }) : text);
const UNCLEAN = /[\0\uD800-\uDFFF]/;

/** The ids of a request are compared, and never shown. */
function waitsOf({ id, call, ...waits }: Waits): Waits {
  const own = (word: string | undefined) => word && clean(word).slice(0, MAX_ID);
  return { ...waits, ...(id && { id: own(id) }), ...(call && { call: own(call) }) } as Waits;
}

/** Secrets go before anything is cut: half of one is still one. */
function bounded(sent: ObservedText, redactor: Redactor): ObservedText {
  const { text, truncated } = sent;
  const whole = redactor.text(clean(text));
  const fits = whole.length * 3 <= PAYLOAD_BYTES || Buffer.byteLength(whole) <= PAYLOAD_BYTES;
  if (fits && whole === text) return sent;
  if (fits) return truncated ? { text: whole, truncated } : { text: whole };
  return { text: cutText(whole, PAYLOAD_BYTES), truncated: true };
}

const WRAPPING = '{"value":';

/** Structured input without its secrets; any other as it is. */
function redactedText(args: ObservedText, { redaction, redactor, now }: Cleaning): ObservedText {
  const { text, truncated } = args;
  if (!/^\s*[{[]/.test(text) || !mayHide(text, redaction)) return args;
  try {
    const wrapped: { value: unknown } = { value: JSON.parse(text) };
    const bounds = { levels: 64, bytes: Number.MAX_SAFE_INTEGER, redact: true };
    const tidied = tidy(wrapped, bounds, { now, suspicious: false, redact: redaction.keys, redactor });
    if (!("json" in tidied)) return args;
    const json = tidied.json.slice(WRAPPING.length, -1);
    return truncated ? { text: json, truncated } : { text: json };
  } catch {
    return args;
  }
}

/** Names may be spelled in escapes, and in any case. */
function mayHide(text: string, { keys }: Redaction): boolean {
  if (text.includes("\\u")) return true;
  const lower = text.toLowerCase();
  for (const key of keys) if (lower.includes(key)) return true;
  return false;
}

/** Drops times that cannot be true. */
const timeOf = (at: number | undefined, now: number): number | undefined =>
  at !== undefined && isLikely(at, now) ? Math.round(at) : undefined;

/** Larger counts and costs of one event are none, and sums of those below are numbers of the database. */
const MOST_TOKENS = 1e12;
const MOST_COST = 1e7;

function usageOf(usage: Usage): Usage {
  const entries = Object.entries(usage).filter(
    ([key, count]) => Number.isFinite(count) && count >= 0 && count < (key === "cost" ? MOST_COST : MOST_TOKENS),
  );
  return Object.fromEntries(entries.map(([key, count]) => [key, key === "cost" ? count : Math.round(count)]));
}

/** An object that fits its column. A larger one is replaced by a note. */
function objectOf(object: Record<string, unknown>, { redaction, redactor, now }: Cleaning): Record<string, unknown> {
  const copy = isFlat(object) ? { ...object } : structuredClone(object);
  const tidied = tidy(copy, METADATA, { now, suspicious: true, redact: redaction.keys, redactor });
  return "json" in tidied ? copy : { omitted: `metadata ${tidied.words}` };
}

function userOf(
  { id, traits }: NonNullable<Observation["user"]>,
  cleaning: Cleaning,
): NonNullable<Observation["user"]> {
  const name = [...cleaning.redactor.text(clean(id))].slice(0, 256).join("");
  return { id: name, ...(traits && isObject(traits) && { traits: objectOf(traits, cleaning) }) };
}

/** A prepared observation and its place in what was sent. */
interface Prepared {
  index: number;
  observation: Observation;
}

/** The observations to keep, and why the others are not, by their place. */
export interface PreparedAll {
  prepared: readonly Prepared[];
  rejected: Map<number, string>;
}

/** Prepares observations, in slices. Text that takes long is scanned on other threads. */
export function* prepareAll(
  observations: readonly Observation[],
  cleaning: Omit<Cleaning, "redactor">,
  scan: Scan,
): Slices<PreparedAll> {
  const rejected = new Map<number, string>();
  const prepared: Prepared[] = [];
  for (const [index, sent] of observations.entries()) {
    const observation = yield* whole(scan.run((redactor) => prepare(sent, { ...cleaning, redactor })));
    if ("reason" in observation) rejected.set(index, observation.reason);
    else prepared.push({ index, observation });
    yield;
  }
  return { prepared, rejected };
}

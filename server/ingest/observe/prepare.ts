import { type SlicedWork, waitForValue } from "../../../concurrency/slices.ts";
import { isObject } from "../../../formats/json.ts";
import type { Redactor } from "../../../redaction/index.ts";
import type { Observation, ObservedText, ReportedUsage, WaitReport } from "../../agents/observation.ts";
import { MAX_ID } from "../../agents/observation.ts";
import type { RequestScan } from "../../scans/index.ts";
import { MAX_PAYLOAD_BYTES, METADATA_LIMITS } from "../rules/bounds.ts";
import type { MetadataRedaction } from "../rules/redaction.ts";
import { isFlat, isPlausibleTimestamp } from "../rules/rules.ts";
import { cleanObject, cleanText, truncateText } from "../rules/tidy.ts";
import { isMatchedByContent, normalizeInput } from "./fold/groups.ts";

/** Kinds of content that are not stored for a key. */
export interface ContentOmissions {
  prompts: boolean;
  toolContents: boolean;
}

/** Rules for cleaning observations before storage. */
export interface CleaningRules {
  redaction: MetadataRedaction;
  redactor: Redactor;
  omit: ContentOmissions;
  /** Arrival of the observations, epoch ms. */
  now: number;
}

/** Ids that connect an observation to other observations. */
const IDS = ["session", "trace", "span", "parentSpan", "id", "turn", "parentCall"] as const;

/**
 * Cleans an observation before storage. Removes characters that the database rejects, secrets, and the content that the
 * key's settings omit; limits sizes. Returns the reason if the observation is rejected.
 */
function prepare(sent: Observation, cleaning: CleaningRules): Observation | { reason: string } {
  if (IDS.some((id) => isNil(sent[id]))) return prepare(withoutNil(sent), cleaning);
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
  // Uses one object literal, so that all observations have the same order of properties. The time matters, because an
  // export contains thousands of observations.
  const prepared = {
    ...sent,
    source: redactor.text(clean(sent.source)),
    // If no time was reported, the arrival time is used as the start.
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
    input: isMatchedByContent(sent) && kind !== "llm" ? redactor.digest(normalizeInput(args?.text)) : undefined,
  } as Observation;
  for (const id of IDS) {
    const word = prepared[id];
    if (word !== undefined) prepared[id] = clean(word);
  }
  return prepared;
}

const ZERO = 48;
/** Returns true for an id of zeros, such as the nil UUID, which programs send for an absent id. */
const isNil = (id: string | undefined): boolean => id?.charCodeAt(0) === ZERO && /^0[0-]{7,}$/.test(id);

function withoutNil(sent: Observation): Observation {
  const present = { ...sent };
  for (const id of IDS) if (isNil(present[id])) delete present[id];
  return present;
}

const isLong = (id: string | undefined): boolean => id !== undefined && id.length > MAX_ID;

const clean = (text: string): string => (UNCLEAN.test(text) ? cleanText(text, { replaced: 0 }) : text);
const UNCLEAN = /[\0\uD800-\uDFFF]/;

/** Cleans the ids of a request. The ids are not redacted, because ids are only compared and never displayed. */
function waitsOf({ id, call, ...waits }: WaitReport): WaitReport {
  const own = (word: string | undefined) => word && clean(word).slice(0, MAX_ID);
  return { ...waits, ...(id && { id: own(id) }), ...(call && { call: own(call) }) } as WaitReport;
}

/**
 * Redacts secrets before truncating the text. After truncation, half a secret could remain that the redactor no longer
 * recognizes.
 */
function bounded(sent: ObservedText, redactor: Redactor): ObservedText {
  const { text, truncated } = sent;
  const whole = redactor.text(clean(text));
  const fits = whole.length * 3 <= MAX_PAYLOAD_BYTES || Buffer.byteLength(whole) <= MAX_PAYLOAD_BYTES;
  if (fits && whole === text) return sent;
  if (fits) return truncated ? { text: whole, truncated } : { text: whole };
  return { text: truncateText(whole, MAX_PAYLOAD_BYTES), truncated: true };
}

const WRAPPING = '{"value":';

/** Redacts values by their key if the input is a JSON object or list. Other input is returned unchanged. */
function redactedText(args: ObservedText, { redaction, redactor, now }: CleaningRules): ObservedText {
  const { text, truncated } = args;
  if (!/^\s*[{[]/.test(text) || !mayHide(text, redaction)) return args;
  try {
    const wrapped: { value: unknown } = { value: JSON.parse(text) };
    const bounds = { levels: 64, bytes: Number.MAX_SAFE_INTEGER, redact: true };
    const tidied = cleanObject(wrapped, bounds, { now, suspicious: false, redact: redaction.keys, redactor });
    if (!("json" in tidied)) return args;
    const json = tidied.json.slice(WRAPPING.length, -1);
    return truncated ? { text: json, truncated } : { text: json };
  } catch {
    return args;
  }
}

/**
 * Returns true if the text may contain a key whose value must be redacted. The keys in the text may be escaped, and may
 * be in upper or lower case.
 */
function mayHide(text: string, { keys }: MetadataRedaction): boolean {
  if (text.includes("\\u")) return true;
  const lower = text.toLowerCase();
  for (const key of keys) if (lower.includes(key)) return true;
  return false;
}

/** Drops implausible times. */
const timeOf = (at: number | undefined, now: number): number | undefined =>
  at !== undefined && isPlausibleTimestamp(at, now) ? Math.round(at) : undefined;

/**
 * Larger token counts and costs of one event are discarded as invalid. Sums of smaller values fit the database's number
 * types.
 */
const MOST_TOKENS = 1e12;
const MOST_COST = 1e7;

function usageOf(usage: ReportedUsage): ReportedUsage {
  const entries = Object.entries(usage).filter(
    ([key, count]) => Number.isFinite(count) && count >= 0 && count < (key === "cost" ? MOST_COST : MOST_TOKENS),
  );
  return Object.fromEntries(entries.map(([key, count]) => [key, key === "cost" ? count : Math.round(count)]));
}

/**
 * Cleans an object for the database column that stores the object. An object that is too large is replaced by an object
 * that states the reason.
 */
function objectOf(
  object: Record<string, unknown>,
  { redaction, redactor, now }: CleaningRules,
): Record<string, unknown> {
  const copy = isFlat(object) ? { ...object } : structuredClone(object);
  const tidied = cleanObject(copy, METADATA_LIMITS, { now, suspicious: true, redact: redaction.keys, redactor });
  return "json" in tidied ? copy : { omitted: `metadata ${tidied.words}` };
}

function userOf(
  { id, traits }: NonNullable<Observation["user"]>,
  cleaning: CleaningRules,
): NonNullable<Observation["user"]> {
  const name = [...cleaning.redactor.text(clean(id))].slice(0, 256).join("");
  return { id: name, ...(traits && isObject(traits) && { traits: objectOf(traits, cleaning) }) };
}

/** Cleaned observation, with its index in the sent list. */
interface Prepared {
  index: number;
  observation: Observation;
}

/** Observations to store, and the reasons for rejecting the other observations, by index in the sent list. */
export interface CleanedObservations {
  prepared: readonly Prepared[];
  rejected: Map<number, string>;
}

/**
 * Cleans observations one by one, and yields after each so that other requests run in between. Text that takes long to
 * scan is scanned in another thread.
 */
export function* cleanObservations(
  observations: readonly Observation[],
  cleaning: Omit<CleaningRules, "redactor">,
  scan: RequestScan,
): SlicedWork<CleanedObservations> {
  const rejected = new Map<number, string>();
  const prepared: Prepared[] = [];
  for (const [index, sent] of observations.entries()) {
    const observation = yield* waitForValue(scan.run((redactor) => prepare(sent, { ...cleaning, redactor })));
    if ("reason" in observation) rejected.set(index, observation.reason);
    else prepared.push({ index, observation });
    yield;
  }
  return { prepared, rejected };
}

import { DAY_MS } from "../../../formats/time.ts";
import type { Redactor } from "../../../redaction/index.ts";
import { MAX_ID, METADATA, PAYLOAD_BYTES } from "../rules/bounds.ts";
import type { Redaction } from "../rules/redaction.ts";
import { isFlat, isObject } from "../rules/rules.ts";
import { cleanText, cutText, tidy } from "../rules/tidy.ts";
import { inputOf, isMatched } from "./fold/groups.ts";
import type { Observation, ObservedText, Usage, Waits } from "./observation.ts";
import { redactedText } from "./redacted-text.ts";

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

const OLDEST = Date.UTC(2000, 0, 1);

/** An observation that the database can store: clean, bounded, without secrets and what the key leaves out; or why not. */
export function prepare(sent: Observation, cleaning: Cleaning): Observation | { reason: string } {
  if (!sent.session && !sent.trace) return { reason: "names neither a session nor a trace" };
  if (hasLongId(sent)) return { reason: `has an id of over ${MAX_ID} characters` };
  const { kind, error, success, latency, metadata, sessionMetadata, user, usage } = sent;
  const { waits } = sent;
  const isTalk = kind === "turn" || kind === "llm" || kind === "subagent" || waits?.for === "answer";
  const { redactor } = cleaning;
  const isOmitted = isTalk ? cleaning.omit.prompts : cleaning.omit.toolContents;
  const startedAt = timeOf(sent.startedAt, cleaning.now);
  const endedAt = timeOf(sent.endedAt, cleaning.now);
  const isLink = !kind && !sent.session && !sent.ends;
  const isTimeless = startedAt === undefined && endedAt === undefined && !isLink;
  // One literal of one shape: an export holds thousands of them.
  return {
    source: clean(sent.source),
    session: cleanWord(sent.session),
    trace: cleanWord(sent.trace),
    span: cleanWord(sent.span),
    parentSpan: cleanWord(sent.parentSpan),
    id: cleanWord(sent.id),
    turn: cleanWord(sent.turn),
    parentCall: cleanWord(sent.parentCall),
    name: sent.name && redactor.text(clean(sent.name)),
    model: sent.model && redactor.text(clean(sent.model)),
    isHook: sent.isHook,
    isTranscript: sent.isTranscript,
    kind,
    isUnknown: sent.isUnknown,
    isShown: sent.isShown,
    // Without any time the moment of arrival stands for the beginning.
    startedAt: isTimeless ? cleaning.now : startedAt,
    endedAt,
    latency: latency !== undefined && latency >= 0 && latency < 2 ** 53 ? Math.round(latency) : undefined,
    isArrival: isTimeless || sent.isArrival,
    nameIsGeneric: sent.nameIsGeneric,
    args: isOmitted || !sent.args ? undefined : bounded(redactedText(sent.args, cleaning), redactor),
    result: isOmitted || !sent.result ? undefined : bounded(sent.result, redactor),
    success: isOmitted && !isTalk && error !== undefined ? false : success,
    isRefusedUnlessTold: sent.isRefusedUnlessTold,
    error: (isOmitted && !isTalk) || error === undefined ? undefined : redactor.text(clean(error)),
    usage: usage && usageOf(usage),
    metadata: metadata && objectOf(metadata, cleaning),
    ends: sent.ends,
    waits: waits && waitsOf(waits),
    user: user && userOf(user, cleaning),
    sessionMetadata: sessionMetadata && objectOf(sessionMetadata, cleaning),
    input: isMatched(sent) && kind !== "llm" ? redactor.digest(inputOf(sent.args?.text)) : undefined,
  } as Observation;
}

const isLong = (id: string | undefined): boolean => id !== undefined && id.length > MAX_ID;

const hasLongId = ({ session, trace, span, parentSpan, id, turn, parentCall, user }: Observation): boolean =>
  isLong(session) ||
  isLong(trace) ||
  isLong(span) ||
  isLong(parentSpan) ||
  isLong(id) ||
  isLong(turn) ||
  isLong(parentCall) ||
  isLong(user?.id);

const clean = (text: string): string => (UNCLEAN.test(text) ? cleanText(text, { replaced: 0 }) : text);
const UNCLEAN = /[\0\uD800-\uDFFF]/;

const cleanWord = (word: string | undefined): string | undefined => (word === undefined ? word : clean(word));

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

/** Drops times that cannot be true. */
const timeOf = (at: number | undefined, now: number): number | undefined =>
  at !== undefined && at >= OLDEST && at <= now + DAY_MS ? Math.round(at) : undefined;

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
export interface Prepared {
  index: number;
  observation: Observation;
}

/** Prepares observations. Answers those to keep, and why the others are not, by their place. */
export function prepareAll(
  observations: readonly Observation[],
  cleaning: Cleaning,
): { prepared: Prepared[]; rejected: Map<number, string> } {
  const rejected = new Map<number, string>();
  const prepared: Prepared[] = [];
  observations.forEach((sent, index) => {
    const observation = prepare(sent, cleaning);
    if ("reason" in observation) rejected.set(index, observation.reason);
    else prepared.push({ index, observation });
  });
  return { prepared, rejected };
}

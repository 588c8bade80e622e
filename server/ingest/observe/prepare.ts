import type { Redaction } from "../rules/redaction.ts";
import { isObject } from "../rules/rules.ts";
import { cleanText, tidy } from "../rules/tidy.ts";
import { MAX_ID, METADATA, PAYLOAD_BYTES } from "./bounds.ts";
import type { Observation, ObservedText, Usage } from "./observation.ts";

/** What a key leaves out of what is told with it. */
export interface Omissions {
  prompts: boolean;
  toolContents: boolean;
}

/** How observations are cleaned on their way into the store. */
export interface Cleaning {
  redaction: Redaction;
  omit: Omissions;
  /** When they arrived, epoch ms. */
  now: number;
}

const DAY_MS = 86_400_000;
const OLDEST = Date.UTC(2000, 0, 1);

/** An observation that the database can store: clean, bounded, without secrets and what the key leaves out; or why not. */
export function prepare(sent: Observation, cleaning: Cleaning): Observation | { reason: string } {
  if (!sent.session && !sent.trace) return { reason: "names neither a session nor a trace" };
  const ids = [
    sent.session,
    sent.trace,
    sent.span,
    sent.parentSpan,
    sent.id,
    sent.turn,
    sent.parentCall,
    sent.user?.id,
  ];
  if (ids.some((id) => id !== undefined && id.length > MAX_ID))
    return { reason: `has an id of over ${MAX_ID} characters` };
  const observation = withoutOmitted(sent, cleaning.omit);
  return {
    ...observation,
    ...textsOf(observation, cleaning),
    ...timesOf(observation, cleaning.now),
    ...(observation.usage && { usage: usageOf(observation.usage) }),
    ...(observation.metadata && { metadata: objectOf(observation.metadata, cleaning) }),
    ...(observation.sessionMetadata && { sessionMetadata: objectOf(observation.sessionMetadata, cleaning) }),
    ...(observation.user && { user: userOf(observation.user, cleaning) }),
  };
}

function withoutOmitted(observation: Observation, { prompts, toolContents }: Omissions): Observation {
  const { kind } = observation;
  const isTalk = kind === "turn" || kind === "llm" || kind === "subagent";
  if (!(isTalk ? prompts : toolContents)) return observation;
  const { args: _args, result: _result, error, ...rest } = observation;
  return isTalk && error !== undefined
    ? { ...rest, error }
    : { ...rest, ...(error !== undefined && { success: false }) };
}

const IDS = ["source", "session", "trace", "span", "parentSpan", "id", "turn", "parentCall", "name", "model"] as const;

function textsOf(observation: Observation, cleaning: Cleaning): Partial<Observation> {
  const cleaned: Partial<Observation> = {};
  for (const key of IDS) {
    const text = observation[key];
    if (text !== undefined) cleaned[key] = clean(text);
  }
  const { args, result, error } = observation;
  if (args) cleaned.args = bounded({ ...args, text: redacted(args.text, cleaning) });
  if (result) cleaned.result = bounded(result);
  if (error !== undefined) cleaned.error = clean(error);
  return cleaned;
}

const clean = (text: string): string => cleanText(text, { replaced: 0 });

function bounded({ text, truncated }: ObservedText): ObservedText {
  const whole = clean(text);
  const fits = whole.length * 3 <= PAYLOAD_BYTES || Buffer.byteLength(whole) <= PAYLOAD_BYTES;
  if (fits) return { text: whole, ...(truncated && { truncated }) };
  const cut = Buffer.from(whole)
    .subarray(0, PAYLOAD_BYTES)
    .toString()
    .replace(/\uFFFD+$/, "");
  return { text: cut, truncated: true };
}

/** Structured input without its secrets. */
function redacted(text: string, { redaction, now }: Cleaning): string {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    const wrapped = { value };
    const bounds = { levels: 64, bytes: Number.MAX_SAFE_INTEGER, redact: true };
    const tidied = tidy(wrapped, bounds, { now, suspicious: false, redact: redaction.keys });
    return "json" in tidied ? JSON.stringify(wrapped.value) : text;
  } catch {
    return text;
  }
}

/** Times outside what can be true are not told. */
function timesOf({ startedAt, endedAt, latency }: Observation, now: number): Partial<Observation> {
  const time = (at: number | undefined) =>
    at !== undefined && at >= OLDEST && at <= now + DAY_MS ? Math.round(at) : undefined;
  const [start, end] = [time(startedAt), time(endedAt)];
  const took = latency !== undefined && latency >= 0 && latency < 2 ** 53 ? Math.round(latency) : undefined;
  const told = { startedAt: start, endedAt: end, latency: took };
  // Without any time the moment of arrival stands for the beginning.
  return (
    start === undefined && end === undefined ? { ...told, startedAt: now, isArrival: true } : told
  ) as Partial<Observation>;
}

function usageOf(usage: Usage): Usage {
  const entries = Object.entries(usage).filter(([, count]) => Number.isFinite(count) && count >= 0 && count < 2 ** 53);
  return Object.fromEntries(entries.map(([key, count]) => [key, key === "cost" ? count : Math.round(count)]));
}

/** An object that fits its column; a larger one leaves a word of itself. */
function objectOf(object: Record<string, unknown>, { redaction, now }: Cleaning): Record<string, unknown> {
  const copy = structuredClone(object);
  const tidied = tidy(copy, METADATA, { now, suspicious: true, redact: redaction.keys });
  return "json" in tidied ? copy : { omitted: `metadata ${tidied.words}` };
}

function userOf(
  { id, traits }: NonNullable<Observation["user"]>,
  cleaning: Cleaning,
): NonNullable<Observation["user"]> {
  const name = [...clean(id)].slice(0, 256).join("");
  return { id: name, ...(traits && isObject(traits) && { traits: objectOf(traits, cleaning) }) };
}

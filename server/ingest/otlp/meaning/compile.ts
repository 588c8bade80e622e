import type { RecordMeaning, TelemetryConvention, ValueCondition, ValueSource } from "../../../agents/convention.ts";
import type { Observation, ObservedText } from "../../../agents/observation.ts";
import type { AttributeValue, Span } from "../model.ts";
import {
  createGetter,
  createNumberReader,
  createTextReader,
  readLogTime,
  readNothing,
  type TelemetryRecord,
  type TextReader,
} from "./take.ts";

/** Meaning with resolved places. */
export interface CompiledMeaning {
  /** True if matching records become events. */
  isEvent: boolean;
  fits(item: TelemetryRecord, name: string, isRoot: (item: TelemetryRecord) => boolean): boolean;
  /** Adds the values that this meaning finds to an observation. */
  complete(item: TelemetryRecord, into: Observation): Observation;
}

/** Convention with resolved places. */
export interface CompiledConvention {
  convention: TelemetryConvention;
  sessionId: TextReader;
  user(item: TelemetryRecord): Observation["user"];
  spans: readonly CompiledMeaning[];
  logs: readonly CompiledMeaning[];
}

/** Compiles a convention once: creates the functions that read the values of its table from spans and log records. */
export function compileConvention(convention: TelemetryConvention): CompiledConvention {
  return {
    convention,
    sessionId: createTextReader(convention.sessionId),
    user: compileUser(convention),
    spans: (convention.spans ?? []).map((meaning) => compileMeaning(meaning, SPAN_ERROR)),
    logs: (convention.logs ?? []).map((meaning) => compileMeaning(meaning, LOG_ERROR)),
  };
}

/** Places at which every span, and every log record, may contain its error message. */
const SPAN_ERROR = ["@event/exception/exception.message", "@status", "error.message", "error.type"];
const LOG_ERROR = ["exception.message", "error.message", "error.type"];

function compileUser({ userId, userTraits = {} }: TelemetryConvention): CompiledConvention["user"] {
  const id = createTextReader(userId);
  const traits = members(userTraits, createTextReader);
  return (item) => {
    const found = id(item);
    if (found === undefined) return undefined;
    const told = traits(item);
    return { id: found, ...(told && { traits: told }) };
  };
}

function compileMeaning(meaning: RecordMeaning, errorPlaces: readonly string[]): CompiledMeaning {
  const steps = stepsOf(meaning, errorPlaces);
  return {
    isEvent: meaning.kind !== undefined,
    fits: gate(meaning),
    complete(item, into) {
      if (meaning.kind) into.kind = meaning.kind;
      if (meaning.ends && !isUnended(item)) into.ends = meaning.ends;
      if (meaning.nameIsGeneric) into.nameIsGeneric = true;
      if (meaning.isItsSpan && into.parentSpan) into.span = into.parentSpan;
      if (meaning.isItsSpan || meaning.isPart) delete into.parentSpan;
      for (const step of steps) step(item, into);
      return into;
    },
  };
}

/** Returns true for a span that has begun and whose end was not sent. Some SDKs send start and end separately. */
const isUnended = (item: TelemetryRecord): boolean => "start" in item && item.end.ms === 0 && item.start.ms > 0;

function gate({ names, where = {}, root }: RecordMeaning): CompiledMeaning["fits"] {
  const conditions = Object.entries(where).map(([place, wanted]) => ({ get: createGetter(place), wanted }));
  const exact = new Set(names?.filter((name) => !name.endsWith("*")));
  const starts = (names ?? []).filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (item, name, isRoot) => {
    if (names && !exact.has(name) && !starts.some((start) => name.startsWith(start))) return false;
    for (const { get, wanted } of conditions) {
      if (!isWanted(get(item), wanted)) return false;
    }
    return root === undefined || root === isRoot(item);
  };
}

function isWanted(value: AttributeValue | undefined, wanted: ValueCondition): boolean {
  if (typeof wanted === "object" && "not" in wanted) return value === undefined || !wanted.not.test(String(value));
  return value !== undefined && (wanted === true || wanted.test(String(value)));
}

type Step = (item: TelemetryRecord, into: Observation) => void;
type Read<T> = (item: TelemetryRecord) => T | undefined;

function stepsOf(meaning: RecordMeaning, errorPlaces: readonly string[]): Step[] {
  const { kind, args, result, model, usage, latency, metadata = [], session } = meaning;
  const steps: Step[] = kind ? [timeStep(meaning), outcomeStep(meaning, errorPlaces)] : [];
  const fill = <Field extends keyof Observation>(field: Field, read: Read<Observation[Field]>) => {
    if (read === readNothing) return;
    steps.push((item, into) => {
      const value = read(item);
      if (value !== undefined) into[field] = value;
    });
  };
  const { id, turn, parentCall, name = kind === "llm" ? model : undefined } = meaning;
  for (const [field, take] of Object.entries({ id, turn, parentCall, name, model }))
    fill(field as "id" | "turn" | "parentCall" | "name" | "model", createTextReader(take));
  fill("args", content(args, meaning.argsCut, meaning.argsArePart));
  fill("result", content(result, meaning.resultCut));
  fill("usage", members(usage, createNumberReader));
  fill("latency", createNumberReader(latency));
  fill("metadata", members(byOwnName(metadata), createTextReader));
  fill("sessionMetadata", members(session, createTextReader));
  return steps;
}

const byOwnName = (places: readonly string[]): Record<string, ValueSource> =>
  Object.fromEntries(places.map((place) => [place.split("/").at(-1) ?? place, place]));

function content(take: ValueSource | undefined, cut: ValueSource | undefined, isPart?: true): Read<ObservedText> {
  const [get, isCut] = [createTextReader(take), createTextReader(cut)];
  if (get === readNothing) return readNothing;
  return (item) => {
    const text = get(item);
    if (text === undefined) return undefined;
    const truncated = isPart || isCut(item) !== undefined;
    return truncated ? { text, truncated } : { text };
  };
}

/**
 * Creates a function that reads several values into one object, by name. The function leaves out values that are
 * absent, and returns undefined if all are absent.
 */
function members<T>(
  takes: Readonly<Record<string, ValueSource>> = {},
  compiled: (take: ValueSource) => Read<T>,
): Read<Record<string, T>> {
  const takers = Object.entries(takes).map(([name, take]) => ({ name, get: compiled(take) }));
  if (takers.length === 0) return readNothing;
  return (item) => {
    let told: Record<string, T> | undefined;
    for (const { name, get } of takers) {
      const value = get(item);
      if (value === undefined) continue;
      told ??= {};
      told[name] = value;
    }
    return told;
  };
}

function outcomeStep({ success, failedBy = [], error }: RecordMeaning, errorPlaces: readonly string[]): Step {
  const [told, own] = [createTextReader(success), createTextReader(error)];
  const failures = failedBy.map(createTextReader);
  const usual = createTextReader({ at: errorPlaces });
  return (item, into) => {
    const word = told(item);
    const failed =
      ("failed" in item && item.failed) || word === "false" || failures.some((get) => get(item) !== undefined);
    if (failed) {
      into.success = false;
      const words = own(item) ?? usual(item);
      if (words !== undefined) into.error = words;
    } else if (word === "true" || ("failed" in item && !isUnended(item))) into.success = true;
  };
}

function timeStep({ time, timeless }: RecordMeaning): Step {
  return (item, into) => {
    if (timeless) return;
    if ("start" in item) return copySpanTimes(item, into);
    const { ms } = readLogTime(item);
    if (ms > 0) into[time === "start" ? "startedAt" : "endedAt"] = ms;
  };
}

export function copySpanTimes({ start, end }: Span, into: Observation): void {
  if (start.ms > 0) into.startedAt = start.ms;
  if (end.ms > 0) into.endedAt = end.ms;
}

import type { Observation, Usage } from "../../observe/observation.ts";
import type { Span } from "../model.ts";
import type { Convention, Meaning, Take } from "./convention.ts";
import { getter, type Item, timeOf } from "./places.ts";
import { numberTaker, type Taker, taker } from "./take.ts";

/** A meaning whose places are resolved. */
export interface CompiledMeaning {
  /** True when it makes an event. */
  isEvent: boolean;
  fits(item: Item, name: string, isRoot: (item: Item) => boolean): boolean;
  /** Adds to an observation what this meaning finds. */
  complete(item: Item, into: Observation): Observation;
}

/** A convention whose places are resolved. */
export interface CompiledConvention {
  convention: Convention;
  sessionId: Taker;
  user(item: Item): Observation["user"];
  spans: readonly CompiledMeaning[];
  logs: readonly CompiledMeaning[];
}

/** Resolves a table's places, once. */
export function compile(convention: Convention): CompiledConvention {
  return {
    convention,
    sessionId: taker(convention.sessionId),
    user: compileUser(convention),
    spans: (convention.spans ?? []).map((meaning) => compileMeaning(meaning, SPAN_ERROR)),
    logs: (convention.logs ?? []).map((meaning) => compileMeaning(meaning, LOG_ERROR)),
  };
}

/** The places of the failure in any span and any log record. */
const SPAN_ERROR = ["@event/exception/exception.message", "@status", "error.message", "error.type"];
const LOG_ERROR = ["exception.message", "error.message", "error.type"];

function compileUser({ userId, userTraits = {} }: Convention): CompiledConvention["user"] {
  const id = taker(userId);
  const traits = members(userTraits);
  return (item) => {
    const found = id(item);
    if (found === undefined) return undefined;
    const told = traits(item);
    return { id: found, ...(told && { traits: told }) };
  };
}

function compileMeaning(meaning: Meaning, errorPlaces: readonly string[]): CompiledMeaning {
  const steps = stepsOf(meaning, errorPlaces);
  return {
    isEvent: meaning.kind !== undefined,
    fits: gate(meaning),
    complete(item, into) {
      if (meaning.kind) into.kind = meaning.kind;
      if (meaning.ends && !isUnended(item)) into.ends = meaning.ends;
      if (meaning.nameIsGeneric) into.nameIsGeneric = true;
      if (meaning.isItsSpan || meaning.isPart) place(meaning, into);
      for (const step of steps) step(item, into);
      return into;
    },
  };
}

/** A span that has begun, and whose end has not been sent: SDKs send both apart. */
const isUnended = (item: Item): boolean => "start" in item && item.end.ms === 0 && item.start.ms > 0;

/** The place of the event among the spans, when its record gives it unlike others. */
function place({ isItsSpan }: Meaning, into: Observation): void {
  if (isItsSpan && into.parentSpan) into.span = into.parentSpan;
  delete into.parentSpan;
}

function gate({ names, where = {}, root }: Meaning): CompiledMeaning["fits"] {
  const conditions = Object.entries(where).map(([place, wanted]) => ({ get: getter(place), wanted }));
  const exact = new Set(names?.filter((name) => !name.endsWith("*")));
  const starts = (names ?? []).filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (item, name, isRoot) => {
    if (names && !exact.has(name) && !starts.some((start) => name.startsWith(start))) return false;
    for (const { get, wanted } of conditions) {
      const value = get(item);
      if (value === undefined || (wanted !== true && !wanted.test(String(value)))) return false;
    }
    return root === undefined || root === isRoot(item);
  };
}

type Step = (item: Item, into: Observation) => void;

function stepsOf(meaning: Meaning, errorPlaces: readonly string[]): Step[] {
  const steps: Step[] = meaning.kind ? [timeStep(meaning), outcomeStep(meaning, errorPlaces)] : [];
  for (const field of ["id", "turn", "parentCall", "name", "model"] as const) {
    const take = meaning[field];
    if (take) steps.push(textStep(field, take));
  }
  if (meaning.args) steps.push(contentStep("args", meaning.args, meaning.argsCut, meaning.argsArePart));
  if (meaning.result) steps.push(contentStep("result", meaning.result, meaning.resultCut));
  if (meaning.usage) steps.push(usageStep(meaning.usage));
  if (meaning.latency) steps.push(latencyStep(meaning.latency));
  const own = Object.fromEntries(
    (meaning.metadata ?? []).map((place) => [place.split("/").at(-1) ?? place, { at: [place] }]),
  );
  if (meaning.metadata) steps.push(membersStep("metadata", own));
  if (meaning.session) steps.push(membersStep("sessionMetadata", meaning.session));
  return steps;
}

function textStep(field: "id" | "turn" | "parentCall" | "name" | "model", take: Take): Step {
  const get = taker(take);
  return (item, into) => {
    const text = get(item);
    if (text !== undefined) into[field] = text;
  };
}

function contentStep(field: "args" | "result", take: Take, cut?: Take, isPart?: true): Step {
  const get = taker(take);
  const isCut = cut && taker(cut);
  return (item, into) => {
    const text = get(item);
    if (text === undefined) return;
    const truncated = isPart || isCut?.(item) !== undefined;
    into[field] = truncated ? { text, truncated } : { text };
  };
}

function usageStep(takes: NonNullable<Meaning["usage"]>): Step {
  const getters = (Object.entries(takes) as [keyof Usage, Take][]).map(([field, take]) => ({
    field,
    get: numberTaker(take),
  }));
  return (item, into) => {
    for (const { field, get } of getters) {
      const count = get(item);
      if (count === undefined) continue;
      into.usage ??= {};
      into.usage[field] = count;
    }
  };
}

function latencyStep(take: Take): Step {
  const get = numberTaker(take);
  return (item, into) => {
    const ms = get(item);
    if (ms !== undefined) into.latency = ms;
  };
}

function membersStep(field: "metadata" | "sessionMetadata", takes: Readonly<Record<string, Take>>): Step {
  const read = members(takes);
  return (item, into) => {
    const told = read(item);
    if (told) into[field] = told;
  };
}

function members(takes: Readonly<Record<string, Take>>): (item: Item) => Record<string, string> | undefined {
  const takers = Object.entries(takes).map(([name, take]) => ({ name, get: taker(take) }));
  return (item) => {
    let told: Record<string, string> | undefined;
    for (const { name, get } of takers) {
      const text = get(item);
      if (text !== undefined) told = { ...told, [name]: text };
    }
    return told;
  };
}

function outcomeStep({ success, failedBy = [], error }: Meaning, errorPlaces: readonly string[]): Step {
  const told = success && taker(success);
  const failures = failedBy.map(taker);
  const own = error && taker(error);
  const usual = taker({ at: errorPlaces });
  return (item, into) => {
    const word = told?.(item);
    const failed =
      ("failed" in item && item.failed) || word === "false" || failures.some((get) => get(item) !== undefined);
    if (failed) {
      into.success = false;
      const words = own?.(item) ?? usual(item);
      if (words !== undefined) into.error = words;
    } else if (word === "true" || ("failed" in item && !isUnended(item))) into.success = true;
  };
}

function timeStep({ time, timeless }: Meaning): Step {
  return (item, into) => {
    if (timeless) return;
    if ("start" in item) return spanTimes(item, into);
    const { ms } = timeOf(item);
    if (ms > 0) into[time === "start" ? "startedAt" : "endedAt"] = ms;
  };
}

/** Takes the beginning and end of a span. */
export function spanTimes({ start, end }: Span, into: Observation): void {
  if (start.ms > 0) into.startedAt = start.ms;
  if (end.ms > 0) into.endedAt = end.ms;
}

import { type Observation, observationOf } from "../../observe/observation.ts";
import { conventions } from "../conventions/index.ts";
import { type LogRecord, MAX_RECORD_CHARACTERS, type Span } from "../model.ts";
import { type CompiledConvention, type CompiledMeaning, compile } from "./compile.ts";
import { type Item, nameOf } from "./places.ts";

/** The observations in the spans or log records of one request. */
export interface Interpretation {
  observations: Observation[];
  /** The record each observation came from. */
  origins: number[];
  /** Records that were not taken, and why. */
  refused: Map<number, string>;
  /** Records that no convention knows. */
  meaningless: number;
}

const compiled = conventions.map(compile);

/** Interprets spans. A span that no convention knows still links its children to its parent. */
export function interpretSpans(spans: readonly Span[]): Interpretation {
  const found = newInterpretation();
  const isRoot = rootFinder(spans);
  spans.forEach((span, origin) => {
    const reason = faultOf(span);
    const fit = reason ? undefined : meaningOf(span, "spans", isRoot);
    if (reason) found.refused.set(origin, reason);
    else if (fit) add(found, origin, fit.meaning.complete(span, spanBase(span, fit.convention)));
    else {
      found.meaningless += 1;
      add(found, origin, linkOf(span));
    }
  });
  return found;
}

/** Interprets log records. A record that no convention knows is skipped. */
export function interpretLogs(logs: readonly LogRecord[]): Interpretation {
  const found = newInterpretation();
  const inOrder: Observation[] = [];
  for (const [origin, log] of logs.entries()) {
    const fit = meaningOf(log, "logs", never);
    if (log.characters > MAX_RECORD_CHARACTERS) found.refused.set(origin, TOO_LARGE);
    else if (!fit) found.meaningless += 1;
    else {
      const observation = fit.meaning.complete(log, logBase(log, fit.convention));
      if ((observation.kind || observation.sessionMetadata) && (observation.session || observation.trace))
        add(found, origin, observation);
      if (fit.convention.convention.tracesRunOn) inOrder.push(observation);
    }
  }
  runOn(inOrder);
  runOn(inOrder.reverse());
  return found;
}

interface Known {
  convention: CompiledConvention;
  meaning: CompiledMeaning;
}

const known = {
  spans: compiled.flatMap((convention) => convention.spans.map((meaning): Known => ({ convention, meaning }))),
  logs: compiled.flatMap((convention) => convention.logs.map((meaning): Known => ({ convention, meaning }))),
};

/** The first meaning that fits a record. */
function meaningOf(item: Item, of: "spans" | "logs", isRoot: (item: Item) => boolean): Known | undefined {
  const name = nameOf(item);
  for (const each of known[of]) if (each.meaning.fits(item, name, isRoot)) return each;
  return undefined;
}

const always = () => true;
const never = () => false;
/** Deeper spans than this surround no agent. */
const MAX_CLIMB = 64;

/**
 * Finds whether no event surrounds a span, as far as the spans of one request show: an agent that a web server calls is as
 * much a turn as one that a command line starts.
 */
function rootFinder(spans: readonly Span[]): (item: Item) => boolean {
  let byId: Map<string, Span> | undefined;
  return (item) => {
    let around: Span | undefined = item as Span;
    for (let climbed = 0; around && climbed < MAX_CLIMB; climbed += 1) {
      if (around !== item && meaningOf(around, "spans", always)?.meaning.isEvent) return false;
      if (around.parentSpanId === "") return true;
      byId ??= new Map(spans.map((span) => [span.traceId + span.spanId, span]));
      around = byId.get(around.traceId + around.parentSpanId);
    }
    return false;
  };
}

const newInterpretation = (): Interpretation => ({
  observations: [],
  origins: [],
  refused: new Map(),
  meaningless: 0,
});

function add(found: Interpretation, origin: number, observation: Observation): void {
  found.observations.push(observation);
  found.origins.push(origin);
}

const TOO_LARGE = `holds more than ${MAX_RECORD_CHARACTERS} characters`;
const ID = { trace: /^(?!0+$)[0-9a-f]{32}$/, span: /^(?!0+$)[0-9a-f]{16}$/ };

function faultOf({ traceId, spanId, characters }: Span): string | undefined {
  if (!ID.trace.test(traceId)) return "traceId must be 16 bytes that are not all zero";
  if (!ID.span.test(spanId)) return "spanId must be 8 bytes that are not all zero";
  return characters > MAX_RECORD_CHARACTERS ? TOO_LARGE : undefined;
}

const sourceOf = ({ resource }: Item): string => {
  const service = resource.get("service.name");
  return typeof service === "string" && service !== "" ? service : "opentelemetry";
};

function linkOf(span: Span): Observation {
  const link = observationOf(sourceOf(span), span.traceId, span.spanId);
  if (span.parentSpanId !== "" && ID.span.test(span.parentSpanId)) link.parentSpan = span.parentSpanId;
  return link;
}

function about(item: Item, { convention, sessionId, user }: CompiledConvention, base: Observation): Observation {
  if (convention.source) base.source = convention.source;
  const session = sessionId(item);
  if (session !== undefined) base.session = session;
  const person = user(item);
  if (person) base.user = person;
  return base;
}

const spanBase = (span: Span, convention: CompiledConvention): Observation => about(span, convention, linkOf(span));

function logBase(log: LogRecord, convention: CompiledConvention): Observation {
  const base = observationOf(sourceOf(log));
  if (ID.trace.test(log.traceId)) base.trace = log.traceId;
  if (base.trace && ID.span.test(log.spanId)) base.parentSpan = log.spanId;
  return about(log, convention, base);
}

/** Gives what names no trace that of what stands before it, of the same session. */
function runOn(observations: readonly Observation[]): void {
  const traces = new Map<string, string>();
  for (const observation of observations) {
    const { session = "", trace = traces.get(session) } = observation;
    if (trace === undefined) continue;
    observation.trace = trace;
    traces.set(session, trace);
  }
}

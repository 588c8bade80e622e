import type { Observation } from "../../observe/index.ts";
import { conventions } from "../conventions/index.ts";
import { type LogRecord, MAX_RECORD_CHARACTERS, type Span } from "../model.ts";
import { type CompiledConvention, type CompiledMeaning, compile } from "./compile.ts";
import { type Item, nameOf } from "./places.ts";

/** What the spans or log records of one request tell. */
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

/** What spans tell. Those no convention knows still link their children to their parents. */
export function interpretSpans(spans: readonly Span[]): Interpretation {
  const found = newInterpretation();
  for (const [origin, span] of spans.entries()) {
    const reason = faultOf(span);
    if (reason) {
      found.refused.set(origin, reason);
      continue;
    }
    const known = meaningsOf(span, "spans");
    if (!known) found.meaningless += 1;
    const observations = known ? tell(span, known, spanBase(span, known.convention)) : [linkOf(span)];
    add(found, origin, observations);
  }
  return found;
}

/** What log records tell. Those no convention knows tell nothing. */
export function interpretLogs(logs: readonly LogRecord[]): Interpretation {
  const found = newInterpretation();
  const traces = new Map<string, string>();
  for (const [origin, log] of logs.entries()) {
    const known = meaningsOf(log, "logs");
    if (log.characters > MAX_RECORD_CHARACTERS) found.refused.set(origin, TOO_LARGE);
    if (!known) found.meaningless += 1;
    else if (log.characters <= MAX_RECORD_CHARACTERS) {
      const base = logBase(log, known.convention);
      if (known.convention.convention.tracesRunOn) runOn(base, traces);
      if (known.meanings.length > 0 && (base.session || base.trace)) add(found, origin, tell(log, known, base));
    }
  }
  return found;
}

interface Known {
  convention: CompiledConvention;
  meanings: CompiledMeaning[];
}

/** The meanings of the first convention that knows a record. */
function meaningsOf(item: Item, of: "spans" | "logs"): Known | undefined {
  const name = nameOf(item);
  for (const convention of compiled) {
    const meanings = convention[of].filter(({ fits }) => fits(item, name));
    if (meanings.length > 0) return { convention, meanings };
  }
  return undefined;
}

const tell = (item: Item, { meanings }: Known, base: Observation): Observation[] =>
  meanings.map(({ complete }) => complete(item, { ...base }));

const newInterpretation = (): Interpretation => ({
  observations: [],
  origins: [],
  refused: new Map(),
  meaningless: 0,
});

function add(found: Interpretation, origin: number, observations: Observation[]): void {
  for (const observation of observations) {
    found.observations.push(observation);
    found.origins.push(origin);
  }
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
  const link: Observation = { source: sourceOf(span), trace: span.traceId, span: span.spanId };
  if (ID.span.test(span.parentSpanId)) link.parentSpan = span.parentSpanId;
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
  const base: Observation = { source: sourceOf(log) };
  if (ID.trace.test(log.traceId)) base.trace = log.traceId;
  if (base.trace && ID.span.test(log.spanId)) base.parentSpan = log.spanId;
  return about(log, convention, base);
}

/** Gives a record that names no trace that of the one before it, of the same session. */
function runOn(base: Observation, traces: Map<string, string>): void {
  if (base.session === undefined) return;
  if (base.trace) traces.set(base.session, base.trace);
  else {
    const trace = traces.get(base.session);
    if (trace !== undefined) base.trace = trace;
  }
}

import { groupBy } from "../../../../formats/groups.ts";
import { conventions } from "../../../agents/conventions/index.ts";
import { AGENT_SERVICE } from "../../../agents/index.ts";
import { Observation } from "../../../agents/observation.ts";
import { type LogRecord, MAX_RECORD_CHARACTERS, type Span } from "../model.ts";
import { type CompiledConvention, type CompiledMeaning, compileConvention, copySpanTimes } from "./compile.ts";
import { readRecordName, type TelemetryRecord } from "./take.ts";

/** Result of interpreting the spans or log records of one request. */
export interface Interpretation {
  observations: Observation[];
  /** For each observation, the index of the span or log record that the observation was read from. */
  origins: number[];
  /** Rejected records by index, with the reasons. */
  refused: Map<number, string>;
  /** Number of records that no convention recognizes. */
  meaningless: number;
  /**
   * Unrecognized spans, by service. Spans of a service are left out if the request also contains a recognized span of
   * the same service or of the same trace.
   */
  unknown: Map<string, Observation[]>;
}

const compiled = conventions.map(compileConvention);

/** Patterns of valid trace and span ids. */
interface Ids {
  trace: RegExp;
  span: RegExp;
  /** Rejection reasons for records with invalid ids. */
  reasons: { trace: string; span: string };
}

/**
 * Interprets spans. A span that no convention recognizes also becomes an observation, because the span links its
 * children to its parent.
 */
export function interpretSpans(spans: readonly Span[], ids: Ids = HEX_IDS): Interpretation {
  const found = newInterpretation();
  const isRoot = rootFinder(spans, ids);
  const recognised = new Set<string>();
  const unknown: Observation[] = [];
  spans.forEach((span, origin) => {
    const reason = faultOf(span, ids);
    const fit = reason ? undefined : meaningOf(span, "spans", isRoot);
    if (reason) found.refused.set(origin, reason);
    else if (fit) {
      add(found, origin, fit.meaning.complete(span, about(span, fit.convention, linkOf(span, ids))));
      recognised.add(sourceOf(span)).add(span.traceId);
    } else {
      found.meaningless += 1;
      const observation = unknownOf(span, ids);
      add(found, origin, observation);
      if (observation.isUnknown) unknown.push(observation);
    }
  });
  const left = unknown.filter(({ source, trace = "" }) => !recognised.has(source) && !recognised.has(trace));
  return { ...found, unknown: groupBy(left, ({ source }) => source) };
}

/** Interprets log records. A record that no convention recognizes is skipped. */
export function interpretLogs(logs: readonly LogRecord[]): Interpretation {
  const found = newInterpretation();
  const inOrder: Observation[] = [];
  for (const [origin, log] of logs.entries()) {
    const fit = meaningOf(log, "logs", never);
    if (log.characters > MAX_RECORD_CHARACTERS) found.refused.set(origin, TOO_LARGE);
    else if (!fit) found.meaningless += 1;
    else {
      const observation = fit.meaning.complete(log, about(log, fit.convention, logBase(log)));
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

/** Returns the first meaning that matches a record. */
function meaningOf(
  item: TelemetryRecord,
  of: "spans" | "logs",
  isRoot: (item: TelemetryRecord) => boolean,
): Known | undefined {
  const name = readRecordName(item);
  for (const each of known[of]) if (each.meaning.fits(item, name, isRoot)) return each;
  return undefined;
}

const always = () => true;
const never = () => false;
/** Maximum number of surrounding spans that are checked for an event. */
const MAX_CLIMB = 64;

/**
 * Creates a function that returns true if no event surrounds a span, as far as the spans of the request show. Spans
 * that create no event, such as the spans of a web server, do not count as surrounding events. An agent that a web
 * server calls is therefore a turn, like an agent that was started from the command line.
 */
function rootFinder(spans: readonly Span[], ids: Ids): (item: TelemetryRecord) => boolean {
  let byId: Map<string, Span> | undefined;
  return (item) => {
    let around: Span | undefined = item as Span;
    for (let climbed = 0; around && climbed < MAX_CLIMB; climbed += 1) {
      if (around !== item && meaningOf(around, "spans", always)?.meaning.isEvent) return false;
      if (!hasParent(around, ids)) return true;
      byId ??= new Map(spans.map((span) => [span.traceId + span.spanId, span]));
      around = byId.get(around.traceId + around.parentSpanId);
    }
    return false;
  };
}

/** Creates an empty interpretation. */
export const newInterpretation = (): Interpretation => ({
  observations: [],
  origins: [],
  refused: new Map(),
  meaningless: 0,
  unknown: new Map(),
});

function add(found: Interpretation, origin: number, observation: Observation): void {
  found.observations.push(observation);
  found.origins.push(origin);
}

const TOO_LARGE = `holds more than ${MAX_RECORD_CHARACTERS} characters`;
const HEX_IDS: Ids = {
  trace: /^(?!0+$)[0-9a-f]{32}$/,
  span: /^(?!0+$)[0-9a-f]{16}$/,
  reasons: {
    trace: "traceId must be 16 bytes that are not all zero",
    span: "spanId must be 8 bytes that are not all zero",
  },
};

function faultOf({ traceId, spanId, characters }: Span, ids: Ids): string | undefined {
  if (!ids.trace.test(traceId)) return ids.reasons.trace;
  if (!ids.span.test(spanId)) return ids.reasons.span;
  return characters > MAX_RECORD_CHARACTERS ? TOO_LARGE : undefined;
}

const sourceOf = ({ resource }: TelemetryRecord): string => {
  const service = resource.get("service.name");
  return typeof service === "string" && service !== "" ? service : "opentelemetry";
};

/**
 * Converts an unrecognized span to an observation. A span of an agent that has its own convention only links other
 * spans; any other span may become an event.
 */
function unknownOf(span: Span, ids: Ids): Observation {
  const link = linkOf(span, ids);
  if (AGENT_SERVICE.test(link.source)) return link;
  link.kind = "other";
  link.isUnknown = true;
  link.name = span.name;
  copySpanTimes(span, link);
  link.success = !span.failed;
  if (span.failed && span.statusMessage !== "") link.error = span.statusMessage;
  if (span.attributes.size > 0) link.metadata = Object.fromEntries(span.attributes);
  return link;
}

/** Returns false for an absent parent, and for an id that identifies nothing, such as an id of zeros. */
const hasParent = ({ parentSpanId }: Span, ids: Ids): boolean => ids.span.test(parentSpanId);

function linkOf(span: Span, ids: Ids): Observation {
  const link = new Observation(sourceOf(span));
  link.trace = span.traceId;
  link.span = span.spanId;
  if (hasParent(span, ids)) link.parentSpan = span.parentSpanId;
  return link;
}

function about(
  item: TelemetryRecord,
  { convention, sessionId, user }: CompiledConvention,
  base: Observation,
): Observation {
  if (convention.source) base.source = convention.source;
  const [session, person] = [sessionId(item), user(item)];
  if (session !== undefined) base.session = session;
  if (person) base.user = person;
  return base;
}

function logBase(log: LogRecord): Observation {
  const base = new Observation(sourceOf(log));
  if (HEX_IDS.trace.test(log.traceId)) base.trace = log.traceId;
  if (base.trace && HEX_IDS.span.test(log.spanId)) base.parentSpan = log.spanId;
  return base;
}

/** Assigns observations without a trace the trace of the preceding observation of the same session. */
function runOn(observations: readonly Observation[]): void {
  const traces = new Map<string, string>();
  for (const observation of observations) {
    const { session = "", trace = traces.get(session) } = observation;
    if (trace === undefined) continue;
    observation.trace = trace;
    traces.set(session, trace);
  }
}

import { decodeJsonLogs, decodeJsonSpans } from "./decode/json.ts";
import { decodeProtobufLogs, decodeProtobufSpans } from "./decode/protobuf.ts";
import { type Interpretation, interpretLogs, interpretSpans, newInterpretation } from "./meaning/interpret.ts";
import { type DecodedExport, type Encoding, MAX_RECORDS, MAX_SPAN_EVENTS, type Span } from "./model.ts";

/** Observations of an export, with counts and remarks about what was left out. */
export interface InterpretedExport extends Interpretation {
  /** Number of spans or log records sent. */
  sent: number;
  /** Number of records beyond the limit. */
  surplus: number;
  /** Sentences for the response: about what was left out of stored records, and about unrecognized spans. */
  remarks: string[];
}

/** One kind of telemetry: traces, logs or metrics. */
export interface OtlpSignal {
  /** JSON field of the response that contains the number of rejected records. */
  rejectedField: string;
  /** @throws AppError 400 */
  read(body: Buffer, encoding: Encoding): InterpretedExport;
}

const traces: OtlpSignal = {
  rejectedField: "rejectedSpans",
  read(body, encoding) {
    const sent = encoding === "json" ? decodeJsonSpans(body) : decodeProtobufSpans(body);
    return readExport(sent, interpretSpans(sent.records), remarksOn(sent.records));
  },
};

const logs: OtlpSignal = {
  rejectedField: "rejectedLogRecords",
  read(body, encoding) {
    const sent = encoding === "json" ? decodeJsonLogs(body) : decodeProtobufLogs(body);
    return readExport(sent, interpretLogs(sent.records), []);
  },
};

/**
 * Accepts metrics and discards them, because log records and spans contain the same information and more. Rejecting
 * metrics would make exporters report errors.
 */
const metrics: OtlpSignal = {
  rejectedField: "rejectedDataPoints",
  read: () => ({ ...newInterpretation(), sent: 0, surplus: 0, remarks: [] }),
};

const SIGNALS: Record<string, OtlpSignal> = { traces, logs, metrics };
const ROOTS = ["/v1/", "/api/public/otel/v1/"];

/** OTLP signals by URL path. Langfuse's SDK sends to the paths with the second root. */
export const otlpSignals: ReadonlyMap<string, OtlpSignal> = new Map(
  ROOTS.flatMap((root) => Object.entries(SIGNALS).map(([name, signal]) => [root + name, signal] as const)),
);

/** Maximum number of reasons of each kind that a response lists. Further reasons are counted but not listed. */
export const MAX_REASONS = 5;

function readExport<T>(
  { records, unreadable, leftOut, count }: DecodedExport<T>,
  found: Interpretation,
  remarks: string[],
) {
  // Unreadable records get negative numbers, because they have no index among the records that were read.
  const refused = new Map([...found.refused, ...unreadable.map((reason, at) => [-1 - at, reason] as const)]);
  const surplus = count - records.length - unreadable.length;
  const values =
    leftOut.length > 0 ? [`${leftOut.length} values left out: ${leftOut.slice(0, MAX_REASONS).join(", ")}`] : [];
  return { ...found, refused, sent: count, surplus, remarks: [...remarks, ...values] };
}

function remarksOn(spans: readonly Span[]): string[] {
  const dropped = spans.reduce((sum, { droppedEvents }) => sum + droppedEvents, 0);
  return dropped === 0 ? [] : [`${dropped} span events beyond the first ${MAX_SPAN_EVENTS} of a span were left out`];
}

/** Reason for rejecting records beyond the limit. */
export const SURPLUS_REASON = `beyond the first ${MAX_RECORDS} of one request`;

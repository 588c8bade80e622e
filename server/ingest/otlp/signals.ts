import { logsOfJson, spansOfJson } from "./decode/json.ts";
import { logsOfProtobuf, spansOfProtobuf } from "./decode/protobuf.ts";
import { type Interpretation, interpretLogs, interpretSpans, newInterpretation } from "./meaning/interpret.ts";
import { type Encoding, type Export, MAX_RECORDS, MAX_SPAN_EVENTS, type Span } from "./model.ts";

/** The observations of an export, and the parts of it that were left out. */
export interface ReadExport extends Interpretation {
  /** Spans or log records that were sent. */
  sent: number;
  /** The number of those beyond the bound. */
  surplus: number;
  /** Sentences on parts that are left out though their span is kept. */
  remarks: string[];
}

/** One kind of telemetry: how it is read, and what its answers call a record. */
export interface Signal {
  /** The field of an answer in JSON. */
  rejectedField: string;
  /** @throws AppError 400 */
  read(body: Buffer, encoding: Encoding): ReadExport;
}

const traces: Signal = {
  rejectedField: "rejectedSpans",
  read(body, encoding) {
    const sent = encoding === "json" ? spansOfJson(body) : spansOfProtobuf(body);
    return readExport(sent, interpretSpans(sent.records), remarksOn(sent.records));
  },
};

const logs: Signal = {
  rejectedField: "rejectedLogRecords",
  read(body, encoding) {
    const sent = encoding === "json" ? logsOfJson(body) : logsOfProtobuf(body);
    return readExport(sent, interpretLogs(sent.records), []);
  },
};

/** Metrics are taken so that exporters stay quiet, and dropped: log records and spans say the same and more. */
const metrics: Signal = {
  rejectedField: "rejectedDataPoints",
  read: () => ({ ...newInterpretation(), sent: 0, surplus: 0, remarks: [] }),
};

const SIGNALS: Record<string, Signal> = { traces, logs, metrics };
const ROOTS = ["/v1/", "/api/public/otel/v1/"];

/** The paths of OTLP; the second root is Langfuse's, to which its SDK posts. */
export const otlpSignals: ReadonlyMap<string, Signal> = new Map(
  ROOTS.flatMap((root) => Object.entries(SIGNALS).map(([name, signal]) => [root + name, signal] as const)),
);

const readExport = <T>({ records, count }: Export<T>, found: Interpretation, remarks: string[]): ReadExport => ({
  ...found,
  sent: count,
  surplus: count - records.length,
  remarks,
});

function remarksOn(spans: readonly Span[]): string[] {
  const dropped = spans.reduce((sum, { droppedEvents }) => sum + droppedEvents, 0);
  return dropped === 0 ? [] : [`${dropped} span events beyond the first ${MAX_SPAN_EVENTS} of a span were left out`];
}

/** The reason for refusing records beyond the bound. */
export const surplusWords = `beyond the first ${MAX_RECORDS} of one request`;

import type { Export } from "./decode/export.ts";
import { logsOfJson, spansOfJson } from "./decode/json.ts";
import { logsOfProtobuf, spansOfProtobuf } from "./decode/protobuf.ts";
import type { Encoding } from "./encoding.ts";
import { type Interpretation, interpretLogs, interpretSpans } from "./meaning/interpret.ts";
import { MAX_RECORDS, MAX_SPAN_EVENTS, type Span } from "./model.ts";

/** What a request tells, and what of it was not looked at. */
export interface Reading extends Interpretation {
  /** Spans or log records that were sent. */
  sent: number;
  /** Of those, the ones beyond the bound. */
  surplus: number;
  /** What is left out though its span is kept. */
  remarks: string[];
}

/** One kind of telemetry: how it is read, and what its answers call a record. */
export interface Signal {
  /** The field of an answer in JSON. */
  rejectedField: string;
  /** @throws AppError 400 */
  read(body: Buffer, encoding: Encoding): Reading;
}

const traces: Signal = {
  rejectedField: "rejectedSpans",
  read(body, encoding) {
    const sent = encoding === "json" ? spansOfJson(body) : spansOfProtobuf(body);
    return reading(sent, interpretSpans(sent.records), remarksOn(sent.records));
  },
};

const logs: Signal = {
  rejectedField: "rejectedLogRecords",
  read(body, encoding) {
    const sent = encoding === "json" ? logsOfJson(body) : logsOfProtobuf(body);
    return reading(sent, interpretLogs(sent.records), []);
  },
};

/** Taken so that exporters stay quiet, and dropped: log records and spans tell the same with more. */
const metrics: Signal = {
  rejectedField: "rejectedDataPoints",
  read: () => ({ observations: [], origins: [], refused: new Map(), meaningless: 0, sent: 0, surplus: 0, remarks: [] }),
};

const SIGNALS: Record<string, Signal> = { traces, logs, metrics };
const ROOTS = ["/v1/", "/api/public/otel/v1/"];

/** Where OTLP is sent; the second root is Langfuse's, to which its SDK posts. */
export const otlpSignals: ReadonlyMap<string, Signal> = new Map(
  ROOTS.flatMap((root) => Object.entries(SIGNALS).map(([name, signal]) => [root + name, signal] as const)),
);

const reading = <T>({ records, count }: Export<T>, found: Interpretation, remarks: string[]): Reading => ({
  ...found,
  sent: count,
  surplus: count - records.length,
  remarks,
});

function remarksOn(spans: readonly Span[]): string[] {
  const dropped = spans.reduce((sum, { droppedEvents }) => sum + droppedEvents, 0);
  return dropped === 0 ? [] : [`${dropped} span events beyond the first ${MAX_SPAN_EVENTS} of a span were left out`];
}

/** The words on what is beyond the bound on records. */
export const surplusWords = `beyond the first ${MAX_RECORDS} of one request`;

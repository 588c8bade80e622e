import { createWriter } from "./ingest.ts";
import { type OtlpSignal, postOtlp, readStoredTrees, type StoredNode } from "./otlp.ts";

/** Attributes as written in a test. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Span as written in a test: ids are short numbers. */
export interface TestSpan {
  id: number;
  parent?: number;
  trace?: number;
  name?: string;
  at?: Attributes;
  events?: readonly { name: string; at: Attributes }[];
  failed?: string;
}

/** Log record as written in a test. */
export interface TestLogRecord {
  span?: number;
  name?: string;
  at?: Attributes;
  body?: object | string;
}

const BEGIN = Date.UTC(2026, 10, 21);
const hex = (id: number, bytes: number) => id.toString(16).padStart(2 * bytes, "0");

function anyValue(value: unknown): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: encodeAttributes(value as Attributes) } };
}

export const encodeAttributes = (told: object = {}) =>
  Object.entries(told).map(([key, value]) => ({ key, value: anyValue(value) }));

const spanOf = ({ id, parent, trace = 1, name = "span", at, events = [], failed }: TestSpan) => ({
  traceId: hex(trace, 16),
  spanId: hex(id, 8),
  parentSpanId: parent === undefined ? "" : hex(parent, 8),
  name,
  startTimeUnixNano: `${BEGIN + 1_000 * id}000000`,
  endTimeUnixNano: `${BEGIN + 1_000 * id + 500}000000`,
  attributes: encodeAttributes(at),
  events: events.map((event) => ({ name: event.name, attributes: encodeAttributes(event.at) })),
  status: failed === undefined ? {} : { code: 2, message: failed },
});

const logOf = ({ span, name = "", at, body }: TestLogRecord) => ({
  ...(span !== undefined && { traceId: hex(1, 16), spanId: hex(span, 8) }),
  timeUnixNano: `${BEGIN + 1_000 * (span ?? 1) + 250}000000`,
  eventName: name,
  attributes: encodeAttributes(at),
  ...(body !== undefined && { body: anyValue(body) }),
});

const resource = { attributes: encodeAttributes({ "service.name": "demo" }) };

/** Builds a JSON request with spans. */
export const buildSpansRequest = (spans: readonly TestSpan[]): object => ({
  resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(spanOf) }] }],
});

/** Builds a JSON request with log records. */
export const buildLogsRequest = (logs: readonly TestLogRecord[]): object => ({
  resourceLogs: [{ resource, scopeLogs: [{ logRecords: logs.map(logOf) }] }],
});

/** Records spans and log records in a fresh organization. Returns the stored rows. */
export async function recordTelemetry(
  spans: readonly TestSpan[],
  logs: readonly TestLogRecord[] = [],
): Promise<{ trees: StoredNode[]; organizationId: string }> {
  const writer = await createWriter();
  const post = async (signal: OtlpSignal, body: object) => {
    const { status, bytes } = await postOtlp(writer, `/v1/${signal}`, Buffer.from(JSON.stringify(body)));
    if (status !== 200 || bytes.toString() !== "{}") throw new Error(`${status} ${bytes}`);
  };
  await post("traces", buildSpansRequest(spans));
  await post("logs", buildLogsRequest(logs));
  return { trees: await readStoredTrees(writer.organizationId), organizationId: writer.organizationId };
}

import { freshWriter } from "./ingest.ts";
import { postOtlp, type SignalName, type StoredNode, storedTrees } from "./otlp.ts";

/** Attributes as a test writes them. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A span as a test writes it: ids are short numbers. */
export interface ToldSpan {
  id: number;
  parent?: number;
  trace?: number;
  name?: string;
  at?: Attributes;
  events?: readonly { name: string; at: Attributes }[];
  failed?: string;
}

/** A log record as a test writes it. */
export interface ToldLog {
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
  return { kvlistValue: { values: attributes(value as Attributes) } };
}

export const attributes = (told: object = {}) =>
  Object.entries(told).map(([key, value]) => ({ key, value: anyValue(value) }));

const spanOf = ({ id, parent, trace = 1, name = "span", at, events = [], failed }: ToldSpan) => ({
  traceId: hex(trace, 16),
  spanId: hex(id, 8),
  parentSpanId: parent === undefined ? "" : hex(parent, 8),
  name,
  startTimeUnixNano: `${BEGIN + 1_000 * id}000000`,
  endTimeUnixNano: `${BEGIN + 1_000 * id + 500}000000`,
  attributes: attributes(at),
  events: events.map((event) => ({ name: event.name, attributes: attributes(event.at) })),
  status: failed === undefined ? {} : { code: 2, message: failed },
});

const logOf = ({ span, name = "", at, body }: ToldLog) => ({
  ...(span !== undefined && { traceId: hex(1, 16), spanId: hex(span, 8) }),
  timeUnixNano: `${BEGIN + 1_000 * (span ?? 1) + 250}000000`,
  eventName: name,
  attributes: attributes(at),
  ...(body !== undefined && { body: anyValue(body) }),
});

const resource = { attributes: attributes({ "service.name": "demo" }) };

/** A request with these spans, in JSON. */
export const spansRequest = (spans: readonly ToldSpan[]): object => ({
  resourceSpans: [{ resource, scopeSpans: [{ spans: spans.map(spanOf) }] }],
});

/** A request with these log records, in JSON. */
export const logsRequest = (logs: readonly ToldLog[]): object => ({
  resourceLogs: [{ resource, scopeLogs: [{ logRecords: logs.map(logOf) }] }],
});

/** The stored rows of spans and log records in a fresh organization. */
export async function recordTelemetry(
  spans: readonly ToldSpan[],
  logs: readonly ToldLog[] = [],
): Promise<{ trees: StoredNode[]; organizationId: string }> {
  const writer = await freshWriter();
  const post = async (signal: SignalName, body: object) => {
    const { status, bytes } = await postOtlp(writer, `/v1/${signal}`, Buffer.from(JSON.stringify(body)));
    if (status !== 200 || bytes.toString() !== "{}") throw new Error(`${status} ${bytes}`);
  };
  await post("traces", spansRequest(spans));
  await post("logs", logsRequest(logs));
  return { trees: await storedTrees(writer.organizationId), organizationId: writer.organizationId };
}

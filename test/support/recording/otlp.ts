import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";
import { folded, sharedServer } from "../server.ts";

/** The kind of telemetry in a body. */
export type SignalName = "traces" | "logs" | "metrics";

const field = (type: string, id: number, more: object = {}) => ({ type, id, ...more });
const many = (type: string, id: number) => field(type, id, { rule: "repeated" });

/** The messages of opentelemetry-proto 1.x that our endpoints read, as protobufjs takes them. */
const oracle = protobuf.Root.fromJSON({
  nested: {
    AnyValue: {
      oneofs: {
        value: {
          oneof: ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue"],
        },
      },
      fields: {
        stringValue: field("string", 1),
        boolValue: field("bool", 2),
        intValue: field("int64", 3),
        doubleValue: field("double", 4),
        arrayValue: field("ArrayValue", 5),
        kvlistValue: field("KeyValueList", 6),
        bytesValue: field("bytes", 7),
      },
    },
    ArrayValue: { fields: { values: many("AnyValue", 1) } },
    KeyValueList: { fields: { values: many("KeyValue", 1) } },
    KeyValue: { fields: { key: field("string", 1), value: field("AnyValue", 2) } },
    Scope: { fields: { name: field("string", 1), version: field("string", 2), attributes: many("KeyValue", 3) } },
    Resource: { fields: { attributes: many("KeyValue", 1), droppedAttributesCount: field("uint32", 2) } },
    TracesRequest: { fields: { resourceSpans: many("ResourceSpans", 1) } },
    ResourceSpans: {
      fields: { resource: field("Resource", 1), scopeSpans: many("ScopeSpans", 2), schemaUrl: field("string", 3) },
    },
    ScopeSpans: { fields: { scope: field("Scope", 1), spans: many("Span", 2), schemaUrl: field("string", 3) } },
    Span: {
      fields: {
        traceId: field("bytes", 1),
        spanId: field("bytes", 2),
        traceState: field("string", 3),
        parentSpanId: field("bytes", 4),
        name: field("string", 5),
        kind: field("int32", 6),
        startTimeUnixNano: field("fixed64", 7),
        endTimeUnixNano: field("fixed64", 8),
        attributes: many("KeyValue", 9),
        droppedAttributesCount: field("uint32", 10),
        events: many("Event", 11),
        droppedEventsCount: field("uint32", 12),
        links: many("Link", 13),
        droppedLinksCount: field("uint32", 14),
        status: field("SpanStatus", 15),
        flags: field("fixed32", 16),
      },
    },
    Event: { fields: { timeUnixNano: field("fixed64", 1), name: field("string", 2), attributes: many("KeyValue", 3) } },
    Link: { fields: { traceId: field("bytes", 1), spanId: field("bytes", 2) } },
    SpanStatus: { fields: { message: field("string", 2), code: field("int32", 3) } },
    LogsRequest: { fields: { resourceLogs: many("ResourceLogs", 1) } },
    ResourceLogs: {
      fields: { resource: field("Resource", 1), scopeLogs: many("ScopeLogs", 2), schemaUrl: field("string", 3) },
    },
    ScopeLogs: {
      fields: { scope: field("Scope", 1), logRecords: many("LogRecord", 2), schemaUrl: field("string", 3) },
    },
    LogRecord: {
      fields: {
        timeUnixNano: field("fixed64", 1),
        severityNumber: field("int32", 2),
        severityText: field("string", 3),
        body: field("AnyValue", 5),
        attributes: many("KeyValue", 6),
        droppedAttributesCount: field("uint32", 7),
        flags: field("fixed32", 8),
        traceId: field("bytes", 9),
        spanId: field("bytes", 10),
        observedTimeUnixNano: field("fixed64", 11),
        eventName: field("string", 12),
      },
    },
    TracesResponse: { fields: { partialSuccess: field("RejectedSpans", 1) } },
    RejectedSpans: { fields: { rejectedSpans: field("int64", 1), errorMessage: field("string", 2) } },
    LogsResponse: { fields: { partialSuccess: field("RejectedLogs", 1) } },
    RejectedLogs: { fields: { rejectedLogRecords: field("int64", 1), errorMessage: field("string", 2) } },
    RpcStatus: { fields: { code: field("int32", 1), message: field("string", 2) } },
  },
});

const REQUESTS = { traces: "TracesRequest", logs: "LogsRequest" };

/** A request in JSON as the protobuf that another library writes for it. */
export function toProtobuf(signal: "traces" | "logs", json: object): Buffer {
  const type = oracle.lookupType(REQUESTS[signal]);
  return Buffer.from(type.encode(type.fromObject(withBytes(json) as object)).finish());
}

/** Decodes bytes by another library. @throws when they are no such message */
export const oracleDecode = (type: string, bytes: Uint8Array): Record<string, any> =>
  oracle.lookupType(type).toObject(oracle.lookupType(type).decode(bytes), { longs: String, bytes: String });

/** A request in protobuf as OTLP writes it in JSON. */
const toJson = (signal: "traces" | "logs", bytes: Buffer): object =>
  withHex(oracleDecode(REQUESTS[signal], bytes)) as object;

const IDS = /^(?:traceId|spanId|parentSpanId)$/;

const withBytes = (value: unknown): unknown => mapIds(value, (id) => Buffer.from(id, "hex").toString("base64"));
const withHex = (value: unknown): unknown => mapIds(value, (id) => Buffer.from(id, "base64").toString("hex"));

/** Ids are hex in OTLP's JSON, and base64 where libraries follow protobuf's own mapping. Null is absent. */
function mapIds(value: unknown, change: (id: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapIds(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, IDS.test(key) ? change(String(member)) : mapIds(member, change)]),
  );
}

const ROOT = "test/fixtures/otlp";

/** A body as a real program sent it. */
export interface Fixture {
  name: string;
  signal: SignalName;
  isProtobuf: boolean;
  bytes: Buffer;
}

/** A captured body by its name, such as `claude/11-otlp-logs.json`. */
export const fixture = (name: string): Fixture => ({
  name,
  signal: name.includes("logs") ? "logs" : name.includes("metrics") ? "metrics" : "traces",
  isProtobuf: name.endsWith(".pb"),
  bytes: readFileSync(join(ROOT, name)),
});

/** All captured bodies of traces and logs. */
export const fixtures = (): Fixture[] =>
  readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(json|pb)$/.test(name))
    .map(fixture)
    .filter(({ signal }) => signal !== "metrics");

/** A fixture in both encodings. */
export function bothEncodings({ signal, isProtobuf, bytes }: Fixture): { json: Buffer; protobuf: Buffer } {
  if (signal === "metrics") throw new Error("metrics are not read");
  if (isProtobuf) return { json: Buffer.from(JSON.stringify(toJson(signal, bytes))), protobuf: bytes };
  return { json: bytes, protobuf: toProtobuf(signal, JSON.parse(bytes.toString())) };
}

/** Sends a body to an endpoint, as an exporter would. */
export async function postOtlp(
  writer: { url: string; key: string },
  path: string,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; headers: Headers; bytes: Buffer }> {
  const response = await fetch(writer.url + path, {
    method: "POST",
    headers: { "x-api-key": writer.key, "Content-Type": "application/json", ...headers },
    body,
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    headers: response.headers,
    bytes,
  };
}

/** Sends fixtures one after the other, in one encoding. @throws unless each is taken whole */
export async function sendFixtures(
  writer: { url: string; key: string },
  names: readonly string[],
  encoding: "json" | "protobuf" = "json",
): Promise<void> {
  for (const name of names) {
    const each = fixture(name);
    const body = bothEncodings(each)[encoding];
    const headers = encoding === "protobuf" ? { "Content-Type": "application/x-protobuf" } : {};
    const reply = await postOtlp(writer, `/v1/${each.signal}`, body, headers);
    const isWhole = reply.status === 200 && reply.bytes.toString() === (encoding === "json" ? "{}" : "");
    if (!isWhole) throw new Error(`${name}: ${reply.status} ${reply.bytes}`);
  }
}

/** A fixture in JSON, cut into requests of one span or log record each. Records that tell nothing of their own are few. */
export function singleRecords(name: string): { signal: SignalName; body: Buffer }[] {
  const each = fixture(name);
  const body: Record<string, any> = JSON.parse(bothEncodings(each).json.toString());
  const [groups, scopes, records] =
    each.signal === "logs" ? ["resourceLogs", "scopeLogs", "logRecords"] : ["resourceSpans", "scopeSpans", "spans"];
  return body[String(groups)].flatMap((group: any) =>
    group[String(scopes)].flatMap((scope: any) =>
      scope[String(records)].map((record: any) => {
        const single = { ...group, [String(scopes)]: [{ ...scope, [String(records)]: [record] }] };
        return { signal: each.signal, body: Buffer.from(JSON.stringify({ [String(groups)]: [single] })) };
      }),
    ),
  );
}

/** An event as it is stored, without what differs from run to run, and what is under it. */
export interface StoredNode {
  [column: string]: unknown;
  children: StoredNode[];
}

const COLUMNS = `event_id, parent_id, session_id, kind, open, primitive_name as name, args, result, success, latency::integer as latency,
  model, input_tokens::integer as input, output_tokens::integer as output, cache_read_tokens::integer as "cacheRead",
  cache_write_tokens::integer as "cacheWrite", cost::float8 as cost, message as error, metadata`;

/** The events of an organization as trees, by time; those of one moment by what they are, since ids differ from run to run. */
export async function storedTrees(organizationId: string): Promise<StoredNode[]> {
  const { db, projector } = (await sharedServer()).runtime;
  await folded({ projector }, organizationId);
  const text = `select ${COLUMNS} from recorded_event where organization_id = $1 order by timestamp, kind, primitive_name, event_id`;
  const rows = await db.query<Record<string, unknown>>({ text, values: [organizationId] });
  const nodes = new Map(rows.map((row) => [row["event_id"], { ...row, children: [] as StoredNode[] }]));
  const roots: StoredNode[] = [];
  for (const node of nodes.values()) {
    const { parent_id } = node as Record<string, unknown>;
    const siblings = nodes.get(parent_id)?.children ?? roots;
    siblings.push(node as StoredNode);
  }
  return roots;
}

/** Trees as they look in any organization: without ids, which hang on it, and with siblings in an order of their own. */
export const comparable = (nodes: readonly StoredNode[]): object[] =>
  nodes
    .map(({ event_id, parent_id, session_id, children, ...columns }) => ({
      ...columns,
      children: comparable(children),
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** An outline of trees: of each event its kind and name, whether it failed, and what is under it. */
export const outline = (nodes: readonly StoredNode[], indent = ""): string =>
  nodes
    .map(
      ({ kind, name, success, children }) =>
        `${indent}${kind} ${name}${success ? "" : " failed"}\n${outline(children, `${indent}  `)}`,
    )
    .join("");

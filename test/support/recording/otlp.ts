import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import protobuf from "protobufjs";
import { startSharedServer, waitUntilFolded } from "../server.ts";

/** Kind of telemetry in a body. */
export type OtlpSignal = "traces" | "logs" | "metrics";

const field = (type: string, id: number, more: object = {}) => ({ type, id, ...more });
const many = (type: string, id: number) => field(type, id, { rule: "repeated" });

/** Messages of opentelemetry-proto 1.x that the endpoints read, in the form of protobufjs. */
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

/** Encodes a request from JSON to protobuf with another library. */
export function toProtobuf(signal: "traces" | "logs", json: object): Buffer {
  const type = oracle.lookupType(REQUESTS[signal]);
  return Buffer.from(type.encode(type.fromObject(withBytes(json) as object)).finish());
}

/** Decodes bytes with another library. @throws when the bytes are not a message of the type */
export const decodeWithOracle = (type: string, bytes: Uint8Array): Record<string, any> =>
  oracle.lookupType(type).toObject(oracle.lookupType(type).decode(bytes), { longs: String, bytes: String });

/** Converts a request from protobuf to the JSON of OTLP. */
const toJson = (signal: "traces" | "logs", bytes: Buffer): object =>
  withHex(decodeWithOracle(REQUESTS[signal], bytes)) as object;

const IDS = /^(?:traceId|spanId|parentSpanId)$/;

const withBytes = (value: unknown): unknown => mapIds(value, (id) => Buffer.from(id, "hex").toString("base64"));
const withHex = (value: unknown): unknown => mapIds(value, (id) => Buffer.from(id, "base64").toString("hex"));

/**
 * Changes the ids in a request. OTLP's JSON has hexadecimal ids, where libraries follow protobuf's mapping with
 * base64. Null counts as absent.
 */
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

/** Body as sent by a real program. */
export interface OtlpFixture {
  name: string;
  signal: OtlpSignal;
  isProtobuf: boolean;
  bytes: Buffer;
}

/** Reads a captured body by name, such as `claude/11-otlp-logs.json`. */
export const readOtlpFixture = (name: string): OtlpFixture => ({
  name,
  signal: name.includes("logs") ? "logs" : name.includes("metrics") ? "metrics" : "traces",
  isProtobuf: name.endsWith(".pb"),
  bytes: readFileSync(join(ROOT, name)),
});

/** Reads all captured bodies of traces and logs. */
export const readOtlpFixtures = (): OtlpFixture[] =>
  readdirSync(ROOT, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(json|pb)$/.test(name))
    .map(readOtlpFixture)
    .filter(({ signal }) => signal !== "metrics");

/** Encodes a fixture in JSON and in protobuf. */
export function encodeBothWays({ signal, isProtobuf, bytes }: OtlpFixture): { json: Buffer; protobuf: Buffer } {
  if (signal === "metrics") throw new Error("metrics are not read");
  if (isProtobuf) return { json: Buffer.from(JSON.stringify(toJson(signal, bytes))), protobuf: bytes };
  return { json: bytes, protobuf: toProtobuf(signal, JSON.parse(bytes.toString())) };
}

/** Posts a body to an endpoint, as an exporter does. */
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

/** Posts fixtures one after the other in one encoding. @throws unless the server accepts each completely */
export async function sendFixtures(
  writer: { url: string; key: string },
  names: readonly string[],
  encoding: "json" | "protobuf" = "json",
): Promise<void> {
  for (const name of names) {
    const each = readOtlpFixture(name);
    const body = encodeBothWays(each)[encoding];
    const headers = encoding === "protobuf" ? { "Content-Type": "application/x-protobuf" } : {};
    const reply = await postOtlp(writer, `/v1/${each.signal}`, body, headers);
    const isWhole = reply.status === 200 && reply.bytes.toString() === (encoding === "json" ? "{}" : "");
    if (!isWhole) throw new Error(`${name}: ${reply.status} ${reply.bytes}`);
  }
}

/**
 * Splits a fixture into JSON requests of one span or log record each. Almost every record adds something to an event.
 */
export function splitIntoRecords(name: string): { signal: OtlpSignal; body: Buffer }[] {
  const each = readOtlpFixture(name);
  const body: Record<string, any> = JSON.parse(encodeBothWays(each).json.toString());
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

/** Stored event with the child events, without values that differ from run to run. */
export interface StoredNode {
  [column: string]: unknown;
  children: StoredNode[];
}

const COLUMNS = `event_id, parent_id, session_id, kind, open, primitive_name as name, args, result, success, latency::integer as latency,
  model, input_tokens::integer as input, output_tokens::integer as output, cache_read_tokens::integer as "cacheRead",
  cache_write_tokens::integer as "cacheWrite", cost::float8 as cost, message as error, metadata`;

/**
 * Reads the events of an organization as trees, ordered by time and then by content, because ids differ from run to
 * run.
 */
export async function readStoredTrees(organizationId: string): Promise<StoredNode[]> {
  const { db, projector } = (await startSharedServer()).runtime;
  await waitUntilFolded({ projector }, organizationId);
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

/**
 * Converts trees to a form that is equal in all organizations: without ids, which depend on the organization, and
 * with siblings in a fixed order.
 */
export const toComparableTrees = (nodes: readonly StoredNode[]): object[] =>
  nodes
    .map(({ event_id, parent_id, session_id, children, ...columns }) => ({
      ...columns,
      children: toComparableTrees(children),
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Writes an outline of trees: the kind and name of each event, whether the event failed, and the child events. */
export const writeOutline = (nodes: readonly StoredNode[], indent = ""): string =>
  nodes
    .map(
      ({ kind, name, success, children }) =>
        `${indent}${kind} ${name}${success ? "" : " failed"}\n${writeOutline(children, `${indent}  `)}`,
    )
    .join("");

import { randomUUID } from "node:crypto";
import { HOSTILE_BODIES, INHERITED_NAMES, JSON_VALUES, WIRE_VALUES, type WireRequest } from "./hostile.ts";

interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

interface Operation {
  parameters?: { name: string; in: "path" | "query" }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** Part of /api/openapi.json from which requests are generated. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

const JSON_TYPE = { "Content-Type": "application/json" };
/**
 * Encodes a JSON body as UTF-8 in a latin1 string: requests are latin1 on the wire, so that a test can send any byte.
 */
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "").toString("latin1");

/**
 * Builds requests for every operation of the document: each parameter, each field and the whole body with each
 * hostile value.
 */
export function buildOperationCases(document: OpenApi): WireRequest[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => casesOf(method.toUpperCase(), path, operation)),
  );
}

function casesOf(method: string, template: string, { parameters = [], requestBody }: Operation): WireRequest[] {
  const schema = requestBody?.content["application/json"]?.schema;
  const good = schema && (sample(schema) as Record<string, unknown>);
  const path = template.replace(/\{\w+\}/g, () => randomUUID());
  const base: WireRequest = { method, path, headers: schema ? JSON_TYPE : {}, body: good && encoded(good) };
  const inPaths = parameters.filter((one) => one.in === "path");
  return [
    ...inPaths.flatMap(({ name }) =>
      WIRE_VALUES.map((value) => ({
        ...base,
        path: template.replace(`{${name}}`, value).replace(/\{\w+\}/g, () => randomUUID()),
      })),
    ),
    ...parameters
      .filter((one) => one.in === "query")
      .flatMap(({ name }) => WIRE_VALUES.map((value) => ({ ...base, path: `${path}?${name}=${value}` }))),
    ...Object.keys(schema?.properties ?? {}).flatMap((name) =>
      JSON_VALUES.map((value) => ({ ...base, body: encoded({ ...good, [name]: value }) })),
    ),
    ...(schema ? HOSTILE_BODIES.map((body) => ({ ...base, body })) : []),
  ];
}

/** Returns a value that matches a schema. */
function sample({ type, format, enum: values, items, properties, anyOf }: Schema): unknown {
  if (anyOf?.[0]) return sample(anyOf[0]);
  if (values) return values[0];
  if (type === "object") return mapped(properties ?? {});
  if (type === "array") return items ? [sample(items)] : [];
  if (type === "integer" || type === "number") return 1;
  if (type === "boolean") return true;
  return SAMPLES[format ?? ""] ?? "sample";
}

const mapped = (properties: Record<string, Schema>) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sample(schema)]));

const SAMPLES: Record<string, string> = {
  uuid: "0190f3a0-0000-7000-8000-000000000000",
  email: "hostile@example.com",
  "date-time": "2026-01-01T00:00:00.000Z",
  uri: "https://example.com/hook",
  // Too short on purpose: hashing a password is expensive, and other tests send valid passwords.
  password: "short",
};

const HEADERS = [
  ...["Authorization", "x-api-key", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Content-Length", "Host"],
  ...["Accept", "Accept-Encoding", "Accept-Language", "Idempotency-Key", "X-Forwarded-For", "If-None-Match", "Range"],
  ...["Expect", "Upgrade", "Connection", "Cookie", "Origin", "X-Request-Id", "Sec-WebSocket-Key", "mcp-session-id"],
];
const HEADER_VALUES = [
  ...INHERITED_NAMES,
  ...[
    "",
    "\xff",
    "\x7f",
    "%00",
    "0",
    "-1",
    "9007199254740993",
    ",,,,",
    "*/*;q=x",
    'application/json; charset="',
    "Bearer",
  ],
  ...[
    "Bearer ",
    "Bearer a.b.c",
    "Bearer \xff",
    "gzip, gzip",
    "chunked, chunked",
    "identity",
    "100-continue",
    "bytes=9-1",
  ],
  ...["application/json; charset=utf-7", "a".repeat(8_000), "a".repeat(20_000), "a".repeat(1_000_000)],
];

/** Builds requests that send each hostile value in each header, with the places in turn. */
export function buildHeaderCases(places: readonly WireRequest[]): WireRequest[] {
  const pairs = HEADERS.flatMap((name) => HEADER_VALUES.map((value) => [name, value] as const));
  return pairs.flatMap(([name, value], at) => {
    const place = places[at % places.length];
    return place ? [{ ...place, headers: { ...place.headers, [name]: value } }] : [];
  });
}

/** Builds requests with hostile suffixes, prefixes and queries of served paths. */
export function buildPathCases(paths: readonly string[]): WireRequest[] {
  const around = (path: string, value: string) => [
    `${path}/${value}`,
    `${path}${value}`,
    `${path}?x=${value}&${value}=1`,
  ];
  const odd = [
    "*",
    "//",
    "/\\",
    "http://[/",
    "http://a:b@c/graphql",
    "/%2e%2e/%2e%2e/etc/passwd",
    `/${"a/".repeat(5_000)}`,
  ];
  const all = paths.flatMap((path, at) =>
    WIRE_VALUES.filter((_, index) => index % 3 === at % 3).flatMap((value) => around(path, value)),
  );
  return [...all, ...odd].map((path, at) => ({ method: METHODS[at % METHODS.length] ?? "GET", path, headers: {} }));
}

const METHODS = ["GET", "GET", "POST", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "PROPFIND"];

/**
 * Builds requests for the handshake of sockets and the requests after the handshake: every parameter with every
 * value.
 */
export const buildSocketCases = (): WireRequest[] =>
  ["EIO", "transport", "sid", "t", "j", "b64"].flatMap((name) =>
    WIRE_VALUES.map((value, at) => ({
      method: at % 2 ? "POST" : "GET",
      path: `/socket.io/?EIO=4&transport=polling&${name}=${value}`,
      headers: at % 4 < 2 ? {} : { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" },
      body: at % 2 ? "40" : undefined,
    })),
  );

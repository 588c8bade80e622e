import { randomUUID } from "node:crypto";
import { BODIES, INHERITED, JSON_VALUES, WIRE_VALUES, type WireRequest } from "./hostile.ts";

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

/** The part of /api/openapi.json that requests are made from. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
}

const JSON_TYPE = { "Content-Type": "application/json" };
/** The header of a JSON body is latin1 on the wire, so that any byte can be sent. */
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value) ?? "").toString("latin1");

/** Every operation of the document, each parameter, each field and the whole body of it with each hostile value. */
export function operationCases(document: OpenApi): WireRequest[] {
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
    ...(schema ? BODIES.map((body) => ({ ...base, body })) : []),
  ];
}

/** A value a schema takes. */
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
  // Too short: passwords are costly to hash, and other tests send good ones.
  password: "short",
};

const HEADERS = [
  ...["Authorization", "x-api-key", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Content-Length", "Host"],
  ...["Accept", "Accept-Encoding", "Accept-Language", "Idempotency-Key", "X-Forwarded-For", "If-None-Match", "Range"],
  ...["Expect", "Upgrade", "Connection", "Cookie", "Origin", "X-Request-Id", "Sec-WebSocket-Key", "mcp-session-id"],
];
const HEADER_VALUES = [
  ...INHERITED,
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

/** Each header with each hostile value, one place after the other. */
export function headerCases(places: readonly WireRequest[]): WireRequest[] {
  const pairs = HEADERS.flatMap((name) => HEADER_VALUES.map((value) => [name, value] as const));
  return pairs.flatMap(([name, value], at) => {
    const place = places[at % places.length];
    return place ? [{ ...place, headers: { ...place.headers, [name]: value } }] : [];
  });
}

/** Hostile endings, beginnings and queries of paths that are served. */
export function pathCases(paths: readonly string[]): WireRequest[] {
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

/** The handshake of sockets and what follows it: every parameter with every value. */
export const socketCases = (): WireRequest[] =>
  ["EIO", "transport", "sid", "t", "j", "b64"].flatMap((name) =>
    WIRE_VALUES.map((value, at) => ({
      method: at % 2 ? "POST" : "GET",
      path: `/socket.io/?EIO=4&transport=polling&${name}=${value}`,
      headers: at % 4 < 2 ? {} : { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13" },
      body: at % 2 ? "40" : undefined,
    })),
  );

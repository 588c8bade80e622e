import { hookEndpoints } from "./hooks/index.ts";
import { otlpPaths } from "./otlp/handler.ts";
import { MAX_EVENTS, NAME_CHARS, TYPE_CHARS } from "./rules/bounds.ts";
import { sdkHandlers } from "./sdk/index.ts";
import { transcriptEndpoints } from "./transcripts/index.ts";

type Json = Record<string, unknown>;

const uuid = { type: "string", format: "uuid" };
const object = { type: "object", additionalProperties: true };
const json = (schema: Json) => ({ "application/json": { schema } });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const schemas = {
  Session: {
    type: "object",
    required: ["session_id", "user_data"],
    properties: {
      session_id: { type: "string", description: "A UUID, or `conv_` and one." },
      user_data: { ...object, description: "The user as `user_id`, and traits of any kind; at most 32 KiB." },
      metadata: { ...object, description: "At most 64 KiB and 32 levels." },
      timestamp: { type: "integer", description: "Start in epoch milliseconds; the server's time unless sent." },
      client_config: { type: "string", maxLength: 256, description: "The client or SDK that sends it." },
    },
  },
  Event: {
    type: "object",
    required: ["event_id", "session_id", "primitive_name", "args", "result"],
    properties: {
      event_id: { ...uuid, description: "Yours; the same content again counts once." },
      session_id: { type: "string", description: "A UUID, or `conv_` and one; the session itself may come later." },
      primitive_name: { type: "string", minLength: 1, maxLength: NAME_CHARS, description: "The agent or the tool." },
      primitive_type: { type: "string", maxLength: TYPE_CHARS, description: "The kind of the event." },
      args: { type: "string", description: "At most 1 MiB; objects travel as JSON text." },
      result: { type: "string", description: "At most 1 MiB; objects travel as JSON text." },
      success: { type: "boolean", default: true },
      latency: { type: "integer", minimum: 0, description: "Milliseconds." },
      timestamp: { type: "integer", description: "Epoch milliseconds; the server's time unless sent." },
      parent_id: { ...uuid, description: "The event that triggered it; absent on a turn." },
      metadata: { ...object, description: "At most 64 KiB and 32 levels." },
    },
  },
};

interface Operation {
  summary: string;
  description: string;
  body: Json;
  replies: Json;
}

const rooted = (name: string) => `/api/v1/${name}`;

function each(paths: readonly string[], tag: string, describe: (path: string) => Operation): Json {
  return Object.assign(
    {},
    ...paths.map((path) => {
      const { summary, description, ...rest } = describe(path);
      return post(path, tag, summary, description, rest);
    }),
  );
}

const ERRORS: Record<number, string> = {
  400: "The body is malformed, or a field is at fault.",
  401: "No ingest key, or none that exists.",
  409: "The id is used already, for something else.",
  410: "The session or user was deleted.",
  413: "The body is too large.",
  415: "The body is of another type or encoding.",
  429: "The key is over its rate; `Retry-After` says when to try.",
  503: "Busy or starting again; `Retry-After` says when to try.",
};
const COMMON = [400, 401, 413, 415, 429, 503];

interface Parts {
  body: Json | undefined;
  replies: Json;
  errors?: number[];
}

const post = (path: string, tag: string, summary: string, description: string, parts: Parts): Json =>
  operation("POST", path, tag, summary, description, parts);

function operation(
  method: string,
  path: string,
  tag: string,
  summary: string,
  description: string,
  { body, replies, errors = [] }: Parts,
): Json {
  const verb = method.toLowerCase();
  const failures = [...COMMON, ...errors].map((status) => [
    status,
    { description: ERRORS[status], content: json(ref("Failure")) },
  ]);
  const operationId = `${verb}${path.replace(/[/:.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  const parameters = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const declared = {
    ...{ operationId, tags: [tag], summary, description, security: [{ ingestKey: [] }] },
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: body } }),
    responses: { ...Object.fromEntries(failures), ...replies },
  };
  return { [path.replace(/:(\w+)/g, "{$1}")]: { [verb]: declared } };
}

function replyOf(properties: Json): Json {
  return { description: "Stored.", content: json({ type: "object", properties }) };
}

function batchReply(): Json {
  const result = {
    type: "object",
    properties: {
      index: { type: "integer" },
      event_id: { type: "string" },
      status: { enum: ["accepted", "rejected"] },
      reason: { type: "string" },
    },
  };
  const count = { type: "integer" };
  return { accepted: count, rejected: count, results: { type: "array", items: result } };
}

/** The members of the OpenAPI document about ingestion: its paths, the schemas they name, and its keys. */
export const ingestOpenApi = {
  tags: [
    { name: "Capture", description: "Sessions and events of any agent, stored before they are answered." },
    { name: "Hooks", description: "Payloads of agents' hooks, as `trackway connect` sends them." },
    { name: "Transcripts", description: "Lines of the files in which agents keep sessions." },
    { name: "Telemetry", description: "OTLP over HTTP, and the bodies of SDKs that send JSON of their own." },
  ],
  schemas,
  securitySchemes: {
    ingestKey: { type: "apiKey", in: "header", name: "x-api-key", description: "An ingest key, `sk_…`." },
  },
  paths: {
    ...post("/api/v1/capture-session", "Capture", "Record a session", "It is merged when it is sent again.", {
      body: json(ref("Session")),
      replies: { 200: replyOf({ status: { const: "ok" }, session_id: { type: "string" } }) },
      errors: [409, 410],
    }),
    ...post("/api/v1/capture-event", "Capture", "Record an event", "The same content under the same id counts once.", {
      body: json(ref("Event")),
      replies: { 200: replyOf({ status: { const: "ok" }, event_id: { type: "string" } }) },
      errors: [409, 410],
    }),
    ...post("/api/v1/capture-events", "Capture", "Record many events", "Each row is accepted or rejected by itself.", {
      body: json({
        type: "object",
        required: ["events"],
        properties: { events: { type: "array", maxItems: MAX_EVENTS, items: ref("Event") } },
      }),
      replies: { 202: replyOf(batchReply()) },
    }),
    ...each([...hookEndpoints.keys()].map(rooted), "Hooks", (path) => ({
      summary: `Take a hook of ${path.split("/").at(-1)}`,
      description: "The payload is what the agent's hook gets on its standard input.",
      body: json(object),
      replies: { 204: { description: "Taken; an agent would read a body as a decision." } },
    })),
    ...each([...transcriptEndpoints.keys()].map(rooted), "Transcripts", (path) => ({
      summary: `Take lines of a session of ${path.split("/").at(-1)}`,
      description: "The answer holds the state with which the next lines of the file are to be sent.",
      body: json({
        type: "object",
        required: ["lines"],
        properties: { lines: { type: "array", maxItems: 1000, items: { type: "string" } }, state: object },
      }),
      replies: { 200: replyOf({ accepted: { type: "integer" }, state: object }) },
    })),
    ...each(otlpPaths, "Telemetry", (path) => ({
      summary: `Take ${path.split("/").at(-1)} over OTLP at ${path}`,
      description: "An OTLP export request as protobuf or JSON, as the OpenTelemetry protocol defines it.",
      body: { "application/x-protobuf": { schema: { type: "string", format: "binary" } }, ...json(object) },
      replies: { 200: { description: "Taken; `partialSuccess` names how many were not.", content: json(object) } },
    })),
    ...Object.assign(
      {},
      ...[...sdkHandlers].map(([path, { method }]) => {
        const replies = { "2XX": { description: "Taken, with the status that the SDK expects." } };
        const body = method === "GET" ? undefined : json(object);
        const description = "The body is that of the SDK's own service, whose address is changed to this server's.";
        return operation(method, path, "Telemetry", `Take what an SDK sends to ${path}`, description, {
          body,
          replies,
        });
      }),
    ),
  },
};

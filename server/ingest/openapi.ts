import { hookEndpoints } from "./hooks/index.ts";
import {
  anyObjectSchema,
  buildOperation,
  buildPostOperation,
  buildPostOperations,
  closedObjectSchema,
  type JsonObject,
  jsonContent,
  type OpenApiOperation,
  requiredHeader,
  schemaRef,
} from "./openapi-operation.ts";
import { otlpSignals } from "./otlp/signals.ts";
import { MAX_EVENTS, MAX_NAME_CHARS, MAX_TYPE_CHARS } from "./rules/bounds.ts";
import { sdkHandlers } from "./sdk/index.ts";
import { transcriptEndpoints } from "./transcripts/index.ts";

const uuid = { type: "string", format: "uuid" };
const DENIAL = {
  hookEventName: { const: "PreToolUse" },
  permissionDecision: { const: "deny" },
  permissionDecisionReason: { type: "string" },
};

const schemas = {
  Session: {
    type: "object",
    required: ["session_id", "user_data"],
    properties: {
      session_id: { type: "string", description: "A UUID, or `conv_` and one." },
      user_data: { ...anyObjectSchema, description: "The user as `user_id`, and traits of any kind; at most 32 KiB." },
      metadata: { ...anyObjectSchema, description: "At most 64 KiB and 32 levels." },
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
      primitive_name: {
        type: "string",
        minLength: 1,
        maxLength: MAX_NAME_CHARS,
        description: "The agent or the tool.",
      },
      primitive_type: { type: "string", maxLength: MAX_TYPE_CHARS, description: "The kind of the event." },
      args: { type: "string", description: "At most 1 MiB; objects travel as JSON text." },
      result: { type: "string", description: "At most 1 MiB; objects travel as JSON text." },
      success: { type: "boolean", default: true },
      latency: { type: "integer", minimum: 0, description: "Milliseconds." },
      timestamp: { type: "integer", description: "Epoch milliseconds; the server's time unless sent." },
      parent_id: { ...uuid, description: "The event that triggered it; absent on a turn." },
      metadata: { ...anyObjectSchema, description: "At most 64 KiB and 32 levels." },
    },
  },
  Status: {
    description: "A `google.rpc.Status`.",
    ...closedObjectSchema({ code: { type: "integer" }, message: { type: "string" } }),
  },
  Decision: {
    description: "The decision to stop, in the form that the agent's hooks read.",
    oneOf: [
      closedObjectSchema({ continue: { const: false }, stopReason: { type: "string" } }),
      closedObjectSchema({ hookSpecificOutput: closedObjectSchema(DENIAL) }),
    ],
  },
};

const rooted = (name: string) => `/api/v1/${name}`;

const inBoth = (schema: JsonObject) => ({
  ...jsonContent(schema),
  "application/x-protobuf": { schema: { type: "string", format: "binary" } },
});

const counter = (description: string) => requiredHeader(description, { type: "integer", minimum: 0 });
const counts = {
  "X-Ingest-Accepted": counter("Events stored."),
  "X-Ingest-Rejected": counter("Records refused, each for a reason."),
  "X-Ingest-Skipped": counter("Records that contain no event."),
};

function replyOf(properties: JsonObject): JsonObject {
  return { description: "Stored.", content: jsonContent({ type: "object", properties }) };
}

function batchReply(): JsonObject {
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

function hook(path: string): OpenApiOperation {
  const [agent, asks] = path.split("/").slice(4);
  if (!asks)
    return {
      summary: `Take a hook of ${agent}`,
      description: "The payload is what the agent's hook gets on its standard input.",
      body: jsonContent(anyObjectSchema),
      replies: { 204: { description: "Taken; an agent would read a body as a decision." } },
    };
  return {
    summary: `Answer if a session of ${agent} is to stop`,
    description: "A session is to stop whose claim of an issue reached a limit.",
    body: jsonContent({ type: "object", required: ["session_id"], properties: { session_id: { type: "string" } } }),
    replies: {
      200: { description: "It is to stop.", content: jsonContent(schemaRef("Decision")) },
      204: { description: "It may go on." },
    },
  };
}

function otlp(path: string): OpenApiOperation {
  const rejected = { type: "string", pattern: "^[0-9]+$", description: "A number of records." };
  const partialSuccess = {
    ...closedObjectSchema({ errorMessage: { type: "string" }, [otlpSignals.get(path)?.rejectedField ?? ""]: rejected }),
    required: ["errorMessage"],
  };
  return {
    summary: `Take ${path.split("/").at(-1)} over OTLP at ${path}`,
    description: "An OTLP export request as protobuf or JSON, as the OpenTelemetry protocol defines it.",
    body: inBoth(anyObjectSchema),
    failure: inBoth(schemaRef("Status")),
    replies: {
      200: {
        description: "Taken; `partialSuccess` names how many were not.",
        headers: counts,
        content: inBoth({ ...closedObjectSchema({ partialSuccess }), required: [] }),
      },
    },
  };
}

/** Ingestion part of the OpenAPI document: paths, their schemas, and the security scheme of ingest keys. */
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
    ...buildPostOperation(
      "/api/v1/capture-session",
      "Capture",
      "Record a session",
      "It is merged when it is sent again.",
      {
        body: jsonContent(schemaRef("Session")),
        replies: { 200: replyOf({ status: { const: "ok" }, session_id: { type: "string" } }) },
        errors: [409, 410],
      },
    ),
    ...buildPostOperation(
      "/api/v1/capture-event",
      "Capture",
      "Record an event",
      "The same content under the same id counts once.",
      {
        body: jsonContent(schemaRef("Event")),
        replies: { 200: replyOf({ status: { const: "ok" }, event_id: { type: "string" } }) },
        errors: [409, 410],
      },
    ),
    ...buildPostOperation(
      "/api/v1/capture-events",
      "Capture",
      "Record many events",
      "Each row is accepted or rejected by itself.",
      {
        body: jsonContent({
          type: "object",
          required: ["events"],
          properties: { events: { type: "array", maxItems: MAX_EVENTS, items: schemaRef("Event") } },
        }),
        replies: { 202: replyOf(batchReply()) },
      },
    ),
    ...buildPostOperations([...hookEndpoints.keys()].map(rooted), "Hooks", hook),
    ...buildPostOperations([...transcriptEndpoints.keys()].map(rooted), "Transcripts", (path) => ({
      summary: `Take lines of a session of ${path.split("/").at(-1)}`,
      description: "The answer holds the state with which the next lines of the file are to be sent.",
      body: jsonContent({
        type: "object",
        required: ["lines"],
        properties: { lines: { type: "array", maxItems: 1000, items: { type: "string" } }, state: anyObjectSchema },
      }),
      replies: { 200: replyOf({ accepted: { type: "integer" }, state: anyObjectSchema }) },
    })),
    ...buildPostOperations([...otlpSignals.keys()], "Telemetry", otlp),
    ...Object.assign(
      {},
      ...[...sdkHandlers].map(([path, { method }]) => {
        const replies = { "2XX": { description: "Taken, with the status that the SDK expects." } };
        const body = method === "GET" ? undefined : jsonContent(anyObjectSchema);
        const description = "The body is that of the SDK's own service, whose address is changed to this server's.";
        return buildOperation(method, path, "Telemetry", `Take what an SDK sends to ${path}`, description, {
          body,
          replies,
        });
      }),
    ),
  },
};

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
      session_id: { type: "string", description: "A UUID, or `conv_` and a UUID." },
      user_data: {
        ...anyObjectSchema,
        description: "The user's id in `user_id`, and any other traits of the user; at most 32 KiB.",
      },
      metadata: { ...anyObjectSchema, description: "At most 64 KiB, nested up to 32 levels." },
      timestamp: {
        type: "integer",
        description: "Start of the session in epoch milliseconds. Default: the server's time.",
      },
      client_config: { type: "string", maxLength: 256, description: "The client or SDK that sends the session." },
    },
  },
  Event: {
    type: "object",
    required: ["event_id", "session_id", "primitive_name", "args", "result"],
    properties: {
      event_id: { ...uuid, description: "Id that you choose. Identical repeats count once." },
      session_id: { type: "string", description: "A UUID, or `conv_` and a UUID. You can send the session later." },
      primitive_name: {
        type: "string",
        minLength: 1,
        maxLength: MAX_NAME_CHARS,
        description: "Name of the agent or tool.",
      },
      primitive_type: { type: "string", maxLength: MAX_TYPE_CHARS, description: "The kind of the event." },
      args: { type: "string", description: "At most 1 MiB. Send objects as JSON text." },
      result: { type: "string", description: "At most 1 MiB. Send objects as JSON text." },
      success: { type: "boolean", default: true },
      latency: { type: "integer", minimum: 0, description: "Milliseconds." },
      timestamp: { type: "integer", description: "Time in epoch milliseconds. Default: the server's time." },
      parent_id: { ...uuid, description: "Id of the event that triggered this event; absent for turns." },
      metadata: { ...anyObjectSchema, description: "At most 64 KiB, nested up to 32 levels." },
    },
  },
  Status: {
    description: "A `google.rpc.Status`.",
    ...closedObjectSchema({ code: { type: "integer" }, message: { type: "string" } }),
  },
  Decision: {
    description: "Decision to stop the agent, in the format that the agent's hooks expect.",
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
  "X-Ingest-Rejected": counter("Records that the server rejected with a reason."),
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
      summary: `Receive a hook of ${agent}`,
      description: "The body is the payload that the agent's hook receives on standard input.",
      body: jsonContent(anyObjectSchema),
      replies: { 204: { description: "Accepted. No body, because agents read a body as a decision." } },
    };
  return {
    summary: `Check whether a session of ${agent} must stop`,
    description: "A session must stop if its claim of an issue has reached a limit.",
    body: jsonContent({ type: "object", required: ["session_id"], properties: { session_id: { type: "string" } } }),
    replies: {
      200: { description: "The session must stop.", content: jsonContent(schemaRef("Decision")) },
      204: { description: "The session can continue." },
    },
  };
}

function otlp(path: string): OpenApiOperation {
  const rejected = { type: "string", pattern: "^[0-9]+$", description: "Number of rejected records." };
  const partialSuccess = {
    ...closedObjectSchema({ errorMessage: { type: "string" }, [otlpSignals.get(path)?.rejectedField ?? ""]: rejected }),
    required: ["errorMessage"],
  };
  return {
    summary: `Receive ${path.split("/").at(-1)} over OTLP at ${path}`,
    description: "An OTLP export request as protobuf or JSON, as the OpenTelemetry protocol defines it.",
    body: inBoth(anyObjectSchema),
    failure: inBoth(schemaRef("Status")),
    replies: {
      200: {
        description: "Accepted; `partialSuccess` contains the number of rejected records.",
        headers: counts,
        content: inBoth({ ...closedObjectSchema({ partialSuccess }), required: [] }),
      },
    },
  };
}

/** Ingestion part of the OpenAPI document: paths, their schemas, and the security scheme of ingest keys. */
export const ingestOpenApi = {
  tags: [
    { name: "Capture", description: "Sessions and events of any agent. The server stores them before it responds." },
    { name: "Hooks", description: "Payloads of agents' hooks, as `trackway connect` sends them." },
    { name: "Transcripts", description: "Lines from the session files that agents write." },
    { name: "Telemetry", description: "Telemetry over OTLP/HTTP, and from SDKs with their own JSON format." },
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
      "The server merges a session that you send again.",
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
      "The server stores an event with the same id and content only once.",
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
      "The server accepts or rejects each event separately.",
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
      summary: `Receive lines of a session of ${path.split("/").at(-1)}`,
      description: "The response contains the `state` to send with the next lines of the file.",
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
        const replies = { "2XX": { description: "Accepted. The status is the one that the SDK expects." } };
        const body = method === "GET" ? undefined : jsonContent(anyObjectSchema);
        const description = "Set the service URL of the SDK to this server. The SDK sends its usual body.";
        return buildOperation(method, path, "Telemetry", `Receive what an SDK sends to ${path}`, description, {
          body,
          replies,
        });
      }),
    ),
  },
};

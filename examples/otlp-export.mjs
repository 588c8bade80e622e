// Records an agent with OpenTelemetry: a trace with an agent and a model call, as OTLP/HTTP with JSON. A program with
// an OpenTelemetry SDK needs only the variables OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS.
import { randomBytes, randomUUID } from "node:crypto";

const { TRACKER_INGEST_KEY = "" } = process.env;
const TRACKER_URL = process.env.TRACKER_URL || "http://127.0.0.1:4000";
const traceId = randomBytes(16).toString("hex");
const conversation = randomUUID();
const agent = span("invoke_agent reviewer", 3_000, {
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": "reviewer",
  "gen_ai.conversation.id": conversation,
});
const model = span("chat", 2_500, {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "example-model",
  "gen_ai.conversation.id": conversation,
  "gen_ai.usage.input_tokens": 1_200,
  "gen_ai.usage.output_tokens": 80,
  "gen_ai.input.messages": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Review the patch." }] }]),
  "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "It is fine." }] }]),
});

const resource = { attributes: attributes({ "service.name": "reviewer" }) };
const spans = [agent, { ...model, parentSpanId: agent.spanId }];
const response = await fetch(`${TRACKER_URL}/v1/traces`, {
  method: "POST",
  headers: { "Content-Type": "application/json", "x-api-key": TRACKER_INGEST_KEY },
  body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "example" }, spans }] }] }),
});
if (!response.ok) throw new Error(await response.text());
console.log(`${response.headers.get("X-Ingest-Accepted")} spans of ${conversation}`);

/** Returns a span that lasted `ms` milliseconds and ended now. */
function span(name, ms, values) {
  const end = BigInt(Date.now()) * 1_000_000n;
  return {
    traceId,
    spanId: randomBytes(8).toString("hex"),
    name,
    kind: 1,
    startTimeUnixNano: String(end - BigInt(ms) * 1_000_000n),
    endTimeUnixNano: String(end),
    attributes: attributes(values),
  };
}

function attributes(values) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}

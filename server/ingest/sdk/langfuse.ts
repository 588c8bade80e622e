import { type Payload, readObject, readObjects } from "../../agents/fields.ts";
import type { Span } from "../otlp/model.ts";
import { buildSpan, parseSdkBody, type SdkEndpoint } from "./endpoint.ts";

/**
 * POST /api/public/ingestion: receives events from Langfuse's SDK before version 4. The response reports success or
 * failure for each event.
 */
export const langfuseIngestionEndpoint: SdkEndpoint = {
  read(body) {
    const events = readObjects(parseSdkBody(body), "batch");
    const kept = events.filter((event) => TYPES.has(typeOf(event)));
    const spans = [...kept.map(spanOfEvent), ...extentsOf(kept)];
    return { spans, answer: (refused) => ({ status: 207, body: verdictsOf(events, kept, refused) }) };
  },
};

/** Types of observations that are stored. Scores and logs of the SDK are ignored, because they are not events. */
const TYPES: ReadonlySet<string> = new Set([
  ...["trace", "tool", "generation", "event", "agent", "chain"],
  ...["retriever", "embedding", "guardrail", "evaluator"],
]);

/**
 * Returns the type of the observation that an event reports. Returns "tool" for a span, because the Langfuse SDK
 * reports tool calls as spans.
 */
function typeOf(event: Payload): string {
  const [named] = String(event["type"]).split("-");
  const type = named === "observation" ? String(readObject(event, "body")["type"]).toLowerCase() : String(named);
  return type === "span" ? "tool" : type;
}

function spanOfEvent(event: Payload): Span {
  const body = readObject(event, "body");
  const type = typeOf(event);
  const isTrace = type === "trace";
  const trace = isTrace ? body["id"] : body["traceId"];
  const times = isTrace ? {} : { start: body["startTime"] ?? body["timestamp"], end: body["endTime"] };
  const members = { source: "langfuse", trace, id: body["id"], name: body["name"], parent: parentOf(body, type) };
  return buildSpan(
    { ...members, ...times },
    {
      "langfuse.observation.type": type,
      "langfuse.trace.id": trace,
      "langfuse.session.id": body["sessionId"],
      "langfuse.user.id": body["userId"],
      "langfuse.observation.input": body["input"],
      "langfuse.observation.output": body["output"],
      "langfuse.observation.level": body["level"],
      "langfuse.observation.status_message": body["statusMessage"],
      "langfuse.observation.model.name": body["model"],
      "langfuse.observation.usage_details": body["usageDetails"] ?? body["usage"],
      "langfuse.observation.cost_details": body["costDetails"],
    },
  );
}

/**
 * Returns the id of the parent observation. Without a parent id, an agent or chain becomes a child of its trace. Other
 * observations then name only their turn, because an update event contains no parent id.
 */
const parentOf = (body: Payload, type: string): unknown =>
  body["parentObservationId"] ?? (type === "agent" || type === "chain" ? body["traceId"] : undefined);

/**
 * Creates one span per trace, with the start and end of the trace. No event contains the duration of a trace, so the
 * trace lasts from the start of its first observation to the end of its last observation.
 */
function extentsOf(events: readonly Payload[]): Span[] {
  const extents = new Map<string, { start: number; end: number }>();
  for (const event of events) {
    const { traceId, id, startTime, endTime, timestamp } = readObject(event, "body");
    const trace = typeOf(event) === "trace" ? id : traceId;
    if (typeof trace !== "string") continue;
    const times = [startTime, endTime, timestamp].map((time) => Date.parse(String(time))).filter((ms) => ms > 0);
    const { start, end } = extents.get(trace) ?? { start: Number.MAX_SAFE_INTEGER, end: 0 };
    extents.set(trace, { start: Math.min(start, ...times), end: Math.max(end, ...times) });
  }
  return [...extents].map(([trace, { start, end }]) => {
    const attributes = { "langfuse.observation.type": "trace", "langfuse.trace.id": trace };
    return buildSpan({ source: "langfuse", trace, id: trace, start, end }, attributes);
  });
}

/** Returns the response body, which lists each event under the event's own id as accepted (201) or rejected (400). */
function verdictsOf(
  events: readonly Payload[],
  kept: readonly Payload[],
  refused: ReadonlyMap<number, string>,
): object {
  const reasons = new Map([...refused].map(([place, reason]) => [kept[place], reason]));
  return {
    successes: events.filter((event) => !reasons.has(event)).map(({ id }) => ({ id, status: 201 })),
    errors: events.flatMap((event) => {
      const message = reasons.get(event);
      return message === undefined ? [] : [{ id: event["id"], status: 400, message }];
    }),
  };
}

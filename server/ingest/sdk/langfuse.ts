import { objectOf, objectsOf, type Payload } from "../fields.ts";
import type { Span } from "../otlp/model.ts";
import { jsonOf, type SdkEndpoint, spanOf } from "./endpoint.ts";

/** POST /api/public/ingestion: events of Langfuse's SDK before version 4. Each has a verdict of its own. */
export const ingestion: SdkEndpoint = {
  read(body) {
    const events = objectsOf(jsonOf(body), "batch");
    const kept = events.filter((event) => TYPES.has(typeOf(event)));
    const spans = [...kept.map(spanOfEvent), ...extentsOf(kept)];
    return { spans, answer: (refused) => ({ status: 207, body: verdictsOf(events, kept, refused) }) };
  },
};

/** The types of observations; scores and logs of the SDK tell of no event. */
const TYPES: ReadonlySet<string> = new Set([
  ...["trace", "tool", "generation", "event", "agent", "chain"],
  ...["retriever", "embedding", "guardrail", "evaluator"],
]);

/** The type of an event's observation. A span is how this SDK tells of a call. */
function typeOf(event: Payload): string {
  const [named] = String(event["type"]).split("-");
  const type = named === "observation" ? String(objectOf(event, "body")["type"]).toLowerCase() : String(named);
  return type === "span" ? "tool" : type;
}

function spanOfEvent(event: Payload): Span {
  const body = objectOf(event, "body");
  const type = typeOf(event);
  const isTrace = type === "trace";
  const trace = isTrace ? body["id"] : body["traceId"];
  const times = isTrace ? {} : { start: body["startTime"] ?? body["timestamp"], end: body["endTime"] };
  const members = { source: "langfuse", trace, id: body["id"], name: body["name"], parent: parentOf(body, type) };
  return spanOf(
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

/** Agents and chains stand in their trace; of other observations only the turn is said, since an update has no parent. */
const parentOf = (body: Payload, type: string): unknown =>
  body["parentObservationId"] ?? (type === "agent" || type === "chain" ? body["traceId"] : undefined);

/** No event tells how long a trace lasts: from the first of its observations to the last. */
function extentsOf(events: readonly Payload[]): Span[] {
  const extents = new Map<string, { start: number; end: number }>();
  for (const event of events) {
    const { traceId, id, startTime, endTime, timestamp } = objectOf(event, "body");
    const trace = typeOf(event) === "trace" ? id : traceId;
    if (typeof trace !== "string") continue;
    const times = [startTime, endTime, timestamp].map((time) => Date.parse(String(time))).filter((ms) => ms > 0);
    const { start, end } = extents.get(trace) ?? { start: Number.MAX_SAFE_INTEGER, end: 0 };
    extents.set(trace, { start: Math.min(start, ...times), end: Math.max(end, ...times) });
  }
  return [...extents].map(([trace, { start, end }]) => {
    const attributes = { "langfuse.observation.type": "trace", "langfuse.trace.id": trace };
    return spanOf({ source: "langfuse", trace, id: trace, start, end }, attributes);
  });
}

/** The verdict on each event, by the event's own id. */
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

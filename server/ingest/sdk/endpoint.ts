import type { IncomingMessage } from "node:http";
import type { JsonLimits } from "../../../formats/json.ts";
import { type Payload, toText } from "../../agents/fields.ts";
import type { CaptureResponse } from "../capture/endpoints.ts";
import { parseBody } from "../capture/json.ts";
import type { IngestHandler, Ingestion } from "../ingestion.ts";
import { interpretSpans } from "../otlp/meaning/interpret.ts";
import { type AttributeValue, MAX_JSON_VALUES, MAX_RECORDS, type NanoTimestamp, type Span } from "../otlp/model.ts";
import { buildRecordCountHeaders, receiveExport } from "../otlp/receive.ts";
import { type InterpretedExport, SURPLUS_REASON } from "../otlp/signals.ts";
import { isJson, unsupportedMediaTypeError } from "../request/headers.ts";
import { methodNotAllowedError, sendError, sendJson } from "../request/response.ts";

/** Data from an SDK's request that is needed to read the body. */
export interface SdkRequest {
  type: string;
  /** Last segment of the path, if the path has a variable segment. */
  id: string;
}

/**
 * Spans that were read from a body. `answer` creates the response that the SDK expects; `refused` contains the
 * rejection reasons by the index of the span.
 */
export interface SentSpans {
  spans: readonly Span[];
  answer(refused: ReadonlyMap<number, string>): { status: number; body: unknown };
}

export interface SdkEndpoint {
  /** Returns true if the endpoint accepts this media type in addition to JSON. */
  takes?(type: string): boolean;
  /** @throws AppError 400 */
  read(body: Buffer, sent: SdkRequest): SentSpans;
}

/** Limits of a body. Messages of frameworks are nested deeper than events. */
const EXTENT: JsonLimits = { levels: 64, values: MAX_JSON_VALUES };
/** SDKs use ids of any form. */
const IDS = { trace: /./s, span: /./s, reasons: { trace: "names no trace", span: "has no id" } };

/** Parses a JSON body. @throws AppError 400 */
export const parseSdkBody = (body: Buffer): Payload => parseBody(body, EXTENT, "replaced").value;

/** Handler that accepts a single HTTP method. */
export interface SdkHandler extends IngestHandler {
  method: string;
}

/** Creates the handler of an SDK's endpoint, for one method. */
export const createSdkEndpointHandler = (method: string, endpoint: SdkEndpoint): SdkHandler =>
  handlerOf(method, async (parts, request) => {
    const { outcome, sent } = await receive(parts, endpoint, request);
    return { ...sent.answer(outcome.refused), headers: buildRecordCountHeaders(outcome) };
  });

/** Creates the handler of a request with which an SDK asks for information about the server. */
export const createSdkQuestionHandler = (
  method: string,
  reply: (parts: Ingestion, request: IncomingMessage) => Promise<unknown>,
): SdkHandler => handlerOf(method, async (parts, request) => ({ status: 200, body: await reply(parts, request) }));

const handlerOf = (
  method: string,
  reply: (parts: Ingestion, request: IncomingMessage) => Promise<CaptureResponse>,
): SdkHandler => ({
  method,
  async serve(parts, request, response) {
    if (request.method !== method) throw methodNotAllowedError(method);
    const { status, body, headers } = await reply(parts, request);
    sendJson(response, status, body, headers);
  },
  refuse: (_, response, error, requestId) => sendError(response, error, requestId),
});

async function receive(parts: Ingestion, endpoint: SdkEndpoint, request: IncomingMessage) {
  let sent: SentSpans = { spans: [], answer: () => ({ status: 200, body: {} }) };
  const type = request.headers["content-type"] ?? "";
  const id = /[^/?]*(?=$|\?)/.exec(request.url ?? "")?.[0] ?? "";
  const outcome = await receiveExport(parts, request, {
    checkType() {
      if (!isJson(request) && !endpoint.takes?.(type)) throw unsupportedMediaTypeError("application/json, in UTF-8");
    },
    read(body) {
      sent = endpoint.read(body, { type, id });
      return readSpans(sent.spans);
    },
  });
  return { outcome, sent };
}

function readSpans(spans: readonly Span[]): InterpretedExport {
  const found = interpretSpans(spans.slice(0, MAX_RECORDS), IDS);
  for (let place = MAX_RECORDS; place < spans.length; place += 1) found.refused.set(place, SURPLUS_REASON);
  return { ...found, sent: spans.length, surplus: 0, remarks: [] };
}

/** Properties that the records of every SDK have, although each SDK uses other names. */
interface SpanMembers {
  /** Name that separates the sessions of this SDK from the sessions of other SDKs. */
  source: string;
  trace: unknown;
  id: unknown;
  parent?: unknown;
  name?: unknown;
  /** ISO text, or epoch ms. */
  start?: unknown;
  end?: unknown;
  /** Failure text. A record with an error counts as failed. */
  error?: unknown;
}

/**
 * Converts a record of an SDK to the span that the SDK's own OpenTelemetry exporter would send. The same conventions
 * can therefore interpret both.
 */
export function buildSpan(members: SpanMembers, attributes: Record<string, unknown>): Span {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  const error = toText(members.error) ?? "";
  return {
    resource: new Map([["service.name", members.source]]),
    name: idOf(members.name),
    traceId: idOf(members.trace),
    spanId: idOf(members.id),
    parentSpanId: idOf(members.parent),
    attributes: new Map(present as [string, AttributeValue][]),
    characters: present.reduce((sum, [, value]) => sum + charactersOf(value), error.length),
    start: momentOf(members.start),
    end: momentOf(members.end),
    events: [],
    droppedEvents: 0,
    failed: error !== "",
    statusMessage: error,
  };
}

/** Returns the members of an object with a prefix added to their names. */
export const prefixMembers = (prefix: string, item: Payload): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [prefix + key, value]));

const idOf = (value: unknown): string => (typeof value === "string" ? value : "");

function momentOf(value: unknown): NanoTimestamp {
  const ms = typeof value === "string" ? Date.parse(value) : value;
  return { ms: typeof ms === "number" && ms > 0 ? Math.round(ms) : 0, nanos: 0 };
}

/** Counts the characters of all texts in a value. The parser has limited the nesting of the value. */
function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + charactersOf(member), 0);
}

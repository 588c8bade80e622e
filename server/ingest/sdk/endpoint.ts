import type { IncomingMessage } from "node:http";
import type { Extent } from "../../../formats/json.ts";
import type { Answer } from "../capture/endpoints.ts";
import { parseBody } from "../capture/json.ts";
import { asText, type Payload } from "../fields.ts";
import type { Handler, Ingestion } from "../ingestion.ts";
import { interpretSpans } from "../otlp/meaning/interpret.ts";
import { MAX_JSON_VALUES, MAX_RECORDS, type Moment, type Span, type Value } from "../otlp/model.ts";
import { countsOf, receiveExport } from "../otlp/receive.ts";
import { type ReadExport, surplusWords } from "../otlp/signals.ts";
import { isJson, unsupportedType } from "../request/headers.ts";
import { answer, answerError, onlyMethod } from "../request/response.ts";

/** A request of an SDK, as far as reading its body needs it. */
export interface Sent {
  type: string;
  /** The last part of the path, where the path has a variable one. */
  id: string;
}

/** A body as spans, and the answer that the SDK expects; `refused` are reasons against spans, by their place. */
export interface SentSpans {
  spans: readonly Span[];
  answer(refused: ReadonlyMap<number, string>): { status: number; body: unknown };
}

/** An endpoint of an SDK. */
export interface SdkEndpoint {
  /** Answers if a body of this type is taken besides JSON. */
  takes?(type: string): boolean;
  /** @throws AppError 400 */
  read(body: Buffer, sent: Sent): SentSpans;
}

/** The most that a body may hold. Messages of frameworks nest deeper than events do. */
const EXTENT: Extent = { levels: 64, values: MAX_JSON_VALUES };
/** Ids of SDKs are of any spelling. */
const IDS = { trace: /./s, span: /./s, reasons: { trace: "names no trace", span: "has no id" } };

/** A body in JSON. @throws AppError 400 */
export const jsonOf = (body: Buffer): Payload => parseBody(body, EXTENT).value;

/** A handler that takes one method. */
export interface SdkHandler extends Handler {
  method: string;
}

/** The handler of an SDK's endpoint, for one method. */
export const endpointHandler = (method: string, endpoint: SdkEndpoint): SdkHandler =>
  handlerOf(method, async (parts, request) => {
    const { outcome, sent } = await receive(parts, endpoint, request);
    return { ...sent.answer(outcome.refused), headers: countsOf(outcome) };
  });

/** The handler of what an SDK asks about the server. */
export const askedHandler = (
  method: string,
  reply: (parts: Ingestion, request: IncomingMessage) => Promise<unknown>,
): SdkHandler => handlerOf(method, async (parts, request) => ({ status: 200, body: await reply(parts, request) }));

const handlerOf = (
  method: string,
  reply: (parts: Ingestion, request: IncomingMessage) => Promise<Answer>,
): SdkHandler => ({
  method,
  async serve(parts, request, response) {
    if (request.method !== method) throw onlyMethod(method);
    const { status, body, headers } = await reply(parts, request);
    answer(response, status, body, headers);
  },
  refuse: (_, response, error, requestId) => answerError(response, error, requestId),
});

async function receive(parts: Ingestion, endpoint: SdkEndpoint, request: IncomingMessage) {
  let sent: SentSpans = { spans: [], answer: () => ({ status: 200, body: {} }) };
  const type = request.headers["content-type"] ?? "";
  const id = /[^/?]*(?=$|\?)/.exec(request.url ?? "")?.[0] ?? "";
  const outcome = await receiveExport(parts, request, {
    checkType() {
      if (!isJson(request) && !endpoint.takes?.(type)) throw unsupportedType("application/json, in UTF-8");
    },
    read(body) {
      sent = endpoint.read(body, { type, id });
      return readSpans(sent.spans);
    },
  });
  return { outcome, sent };
}

function readSpans(spans: readonly Span[]): ReadExport {
  const found = interpretSpans(spans.slice(0, MAX_RECORDS), IDS);
  for (let place = MAX_RECORDS; place < spans.length; place += 1) found.refused.set(place, surplusWords);
  return { ...found, sent: spans.length, surplus: 0, remarks: [] };
}

/** The members of a record that every SDK has, by its own names for them. */
interface SpanMembers {
  /** The name under which sessions of this SDK are kept apart from those of others. */
  source: string;
  trace: unknown;
  id: unknown;
  parent?: unknown;
  name?: unknown;
  /** ISO text, or epoch ms. */
  start?: unknown;
  end?: unknown;
  /** The failure's text; a record with one has failed. */
  error?: unknown;
}

/** A record of an SDK as the span that its own exporter of OpenTelemetry would send: the conventions read both. */
export function spanOf(members: SpanMembers, attributes: Record<string, unknown>): Span {
  const present = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  const error = asText(members.error) ?? "";
  return {
    resource: new Map([["service.name", members.source]]),
    name: idOf(members.name),
    traceId: idOf(members.trace),
    spanId: idOf(members.id),
    parentSpanId: idOf(members.parent),
    attributes: new Map(present as [string, Value][]),
    characters: present.reduce((sum, [, value]) => sum + charactersOf(value), error.length),
    start: momentOf(members.start),
    end: momentOf(members.end),
    events: [],
    droppedEvents: 0,
    failed: error !== "",
    statusMessage: error,
  };
}

/** The members of an object under names that begin with a prefix. */
export const under = (prefix: string, item: Payload): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [prefix + key, value]));

const idOf = (value: unknown): string => (typeof value === "string" ? value : "");

function momentOf(value: unknown): Moment {
  const ms = typeof value === "string" ? Date.parse(value) : value;
  return { ms: typeof ms === "number" && ms > 0 ? Math.round(ms) : 0, nanos: 0 };
}

/** The characters of the texts in a value that was parsed within bounds. */
function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, member) => sum + charactersOf(member), 0);
}

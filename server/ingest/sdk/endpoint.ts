import type { IncomingMessage } from "node:http";
import type { Extent } from "../../../formats/json.ts";
import { parseBody } from "../capture/json.ts";
import type { Payload } from "../fields.ts";
import type { Handler, Ingestion } from "../ingestion.ts";
import { interpretSpans } from "../otlp/meaning/interpret.ts";
import { MAX_JSON_VALUES, MAX_RECORDS, type Span } from "../otlp/model.ts";
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
export const endpointHandler = (method: string, endpoint: SdkEndpoint): SdkHandler => ({
  method,
  async serve(parts, request, response) {
    if (request.method !== method) throw onlyMethod(method);
    const { outcome, sent } = await receive(parts, endpoint, request);
    const { status, body } = sent.answer(outcome.refused);
    answer(response, status, body, countsOf(outcome));
  },
  refuse,
});

/** The handler of what an SDK asks about the server. */
export const askedHandler = (
  method: string,
  reply: (parts: Ingestion, request: IncomingMessage) => Promise<unknown>,
): SdkHandler => ({
  method,
  async serve(parts, request, response) {
    if (request.method !== method) throw onlyMethod(method);
    answer(response, 200, await reply(parts, request));
  },
  refuse,
});

const refuse: Handler["refuse"] = (_, response, error, requestId) => answerError(response, error, requestId);

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

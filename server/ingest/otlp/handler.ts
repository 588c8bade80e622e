import type { IncomingMessage } from "node:http";
import type { Handler } from "../ingestion.ts";
import { unsupportedType } from "../request/headers.ts";
import { answer, onlyMethod } from "../request/response.ts";
import { encodeError, encodeInternal, encodeSuccess, encodingOf, type PartialSuccess } from "./encoding.ts";
import { countsOf, type Outcome, type Reader, receiveExport } from "./receive.ts";
import { otlpSignals, type Signal, surplusWords } from "./signals.ts";

/** The paths of OTLP over HTTP. */
export const otlpPaths: readonly string[] = [...otlpSignals.keys()];

/** The handler of OTLP at a path; undefined for other paths. */
export function otlpHandler(path: string): Handler | undefined {
  const signal = otlpSignals.get(path);
  if (!signal) return undefined;
  return {
    async serve(parts, request, response) {
      if (request.method !== "POST") throw onlyMethod("POST");
      const outcome = await receiveExport(parts, request, readerOf(signal, request));
      const partial = partialSuccess(outcome);
      const { body, headers } = encodeSuccess(encodingOf(request) ?? "json", signal.rejectedField, partial);
      answer(response, 200, body, { ...headers, ...countsOf(outcome) });
    },
    refuse(request, response, error) {
      const encoding = encodingOf(request) ?? "json";
      const { status, body, headers } = error ? encodeError(encoding, error) : encodeInternal(encoding);
      answer(response, status, body, headers);
    },
  };
}

function readerOf(signal: Signal, request: IncomingMessage): Reader {
  const encoding = encodingOf(request);
  return {
    checkType() {
      if (!encoding) throw unsupportedType("application/json or application/x-protobuf");
    },
    read: (body) => signal.read(body, encoding ?? "json"),
  };
}

/** Reasons that an answer names; further ones are counted only. */
const MAX_REASONS = 5;

/** The part of an export that was not kept; undefined when all was. */
export function partialSuccess({ read: { surplus, remarks }, refused }: Outcome): PartialSuccess | undefined {
  const counts = new Map<string, number>();
  for (const reason of refused.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const words = [...counts].slice(0, MAX_REASONS).map(([reason, count]) => `${count} not kept: ${reason}`);
  if (surplus > 0) words.push(`${surplus} not kept: ${surplusWords}`);
  words.push(...remarks);
  if (words.length === 0) return undefined;
  return { rejected: refused.size + surplus, message: words.join("; ") };
}

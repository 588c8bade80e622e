import type { IncomingMessage } from "node:http";
import { PbfWriter } from "pbf";
import { type AppError, type ErrorKind, STATUS } from "../../errors.ts";
import type { Handler } from "../ingestion.ts";
import { isJson, unsupportedType } from "../request/headers.ts";
import { answer, onlyMethod } from "../request/response.ts";
import type { Encoding } from "./model.ts";
import { countsOf, type PartialSuccess, partialSuccess, receiveExport } from "./receive.ts";
import { otlpSignals } from "./signals.ts";

/** The paths of OTLP over HTTP. */
export const otlpPaths: readonly string[] = [...otlpSignals.keys()];

/** The handler of OTLP at a path; undefined for other paths. */
export function otlpHandler(path: string): Handler | undefined {
  const signal = otlpSignals.get(path);
  if (!signal) return undefined;
  return {
    async serve(parts, request, response) {
      if (request.method !== "POST") throw onlyMethod("POST");
      const encoding = encodingOf(request);
      const outcome = await receiveExport(parts, request, {
        checkType() {
          if (!encoding) throw unsupportedType("application/json or application/x-protobuf");
        },
        read: (body) => signal.read(body, encoding ?? "json"),
      });
      const { body, headers } = encodeSuccess(encoding ?? "json", signal.rejectedField, partialSuccess(outcome));
      answer(response, 200, body, { ...headers, ...countsOf(outcome) });
    },
    refuse(request, response, error) {
      const encoding = encodingOf(request) ?? "json";
      const [code, message] = error ? [RPC_CODES[error.kind], error.message] : [INTERNAL, "Something went wrong"];
      const { body, headers } = encodeStatus(encoding, code, message);
      answer(response, error ? STATUS[error.kind] : 500, body, { ...headers, ...headersOf(error) });
    },
  };
}

const PROTOBUF_TYPE = /^application\/(?:x-|vnd\.google\.)?protobuf\s*(?:;|$)/i;
const CONTENT_TYPES: Record<Encoding, string> = { json: "application/json", protobuf: "application/x-protobuf" };

/** The encoding of a request's body; undefined when it is neither. */
function encodingOf(request: IncomingMessage): Encoding | undefined {
  if (isJson(request)) return "json";
  return PROTOBUF_TYPE.test(request.headers["content-type"] ?? "") ? "protobuf" : undefined;
}

/** The headers that an error asks for. */
function headersOf(error: AppError | undefined): Record<string, string | number> {
  const { retryAfter, headers } = error?.details ?? {};
  return { ...headers, ...(retryAfter && { "Retry-After": retryAfter }) };
}

/** An answer's bytes and headers. */
interface EncodedAnswer {
  body: Buffer | string;
  headers: Record<string, string>;
}

/** An Export…ServiceResponse; `rejectedField` is what JSON calls the number of what was not kept. */
export function encodeSuccess(encoding: Encoding, rejectedField: string, partial?: PartialSuccess): EncodedAnswer {
  // Protobuf's mapping to JSON writes 64-bit integers as text.
  const success = partial && {
    ...(partial.rejected > 0 && { [rejectedField]: String(partial.rejected) }),
    errorMessage: partial.message,
  };
  return encoded(encoding, success ? { partialSuccess: success } : {}, (pbf) => {
    if (partial) pbf.writeMessage(1, writePartial, partial);
  });
}

function writePartial({ rejected, message }: PartialSuccess, pbf: PbfWriter): void {
  if (rejected > 0) pbf.writeVarintField(1, rejected);
  pbf.writeStringField(2, message);
}

/** Codes of google.rpc for what HTTP's status says more coarsely. */
export const RPC_CODES: Readonly<Record<ErrorKind, number>> = {
  authentication: 16,
  forbidden: 7,
  not_found: 5,
  conflict: 6,
  gone: 5,
  input: 3,
  invalid: 3,
  ratelimited: 8,
  too_large: 3,
  timeout: 4,
  unsupported: 3,
  method: 12,
  unavailable: 14,
};
/** The code of google.rpc for what went wrong on this side. */
export const INTERNAL = 13;

/** A google.rpc.Status. */
const encodeStatus = (encoding: Encoding, code: number, message: string): EncodedAnswer =>
  encoded(encoding, { code, message }, (pbf) => {
    pbf.writeVarintField(1, code);
    pbf.writeStringField(2, message);
  });

function encoded(encoding: Encoding, json: object, write: (pbf: PbfWriter) => void): EncodedAnswer {
  const headers = { "Content-Type": CONTENT_TYPES[encoding] };
  if (encoding === "json") return { body: JSON.stringify(json), headers };
  const pbf = new PbfWriter();
  write(pbf);
  return { body: Buffer.from(pbf.finish()), headers };
}

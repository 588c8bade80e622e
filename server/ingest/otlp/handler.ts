import type { IncomingMessage } from "node:http";
import { PbfWriter } from "pbf";
import { type AppError, type ErrorKind, HTTP_STATUS } from "../../errors.ts";
import type { IngestHandler } from "../ingestion.ts";
import { isJson, unsupportedMediaTypeError } from "../request/headers.ts";
import { methodNotAllowedError, sendJson } from "../request/response.ts";
import type { Encoding } from "./model.ts";
import { buildRecordCountHeaders, describePartialSuccess, type PartialSuccess, receiveExport } from "./receive.ts";
import { otlpSignals } from "./signals.ts";

export const otlpPaths: readonly string[] = [...otlpSignals.keys()];

/** Returns the OTLP handler of a path; undefined for other paths. */
export function findOtlpHandler(path: string): IngestHandler | undefined {
  const signal = otlpSignals.get(path);
  if (!signal) return undefined;
  return {
    async serve(parts, request, response) {
      if (request.method !== "POST") throw methodNotAllowedError("POST");
      const encoding = encodingOf(request);
      const outcome = await receiveExport(parts, request, {
        checkType() {
          if (!encoding) throw unsupportedMediaTypeError("application/json or application/x-protobuf");
        },
        read: (body) => signal.read(body, encoding ?? "json"),
      });
      const { body, headers } = encodeExportResponse(
        encoding ?? "json",
        signal.rejectedField,
        describePartialSuccess(outcome),
      );
      sendJson(response, 200, body, { ...headers, ...buildRecordCountHeaders(outcome) });
    },
    refuse(request, response, error) {
      const encoding = encodingOf(request) ?? "json";
      const [code, message] = error
        ? [GRPC_CODE_BY_ERROR_KIND[error.kind], error.message]
        : [GRPC_INTERNAL_CODE, "Something went wrong"];
      const { body, headers } = encodeStatus(encoding, code, message);
      sendJson(response, error ? HTTP_STATUS[error.kind] : 500, body, { ...headers, ...headersOf(error) });
    },
  };
}

const PROTOBUF_TYPE = /^application\/(?:x-|vnd\.google\.)?protobuf\s*(?:;|$)/i;
const CONTENT_TYPES: Record<Encoding, string> = { json: "application/json", protobuf: "application/x-protobuf" };

/** Returns the encoding of a request's body; undefined if the type is unsupported. */
function encodingOf(request: IncomingMessage): Encoding | undefined {
  if (isJson(request)) return "json";
  return PROTOBUF_TYPE.test(request.headers["content-type"] ?? "") ? "protobuf" : undefined;
}

function headersOf(error: AppError | undefined): Record<string, string | number> {
  const { retryAfter, headers } = error?.details ?? {};
  return { ...headers, ...(retryAfter && { "Retry-After": retryAfter }) };
}

/** Encoded response: bytes and headers. */
interface EncodedAnswer {
  body: Buffer | string;
  headers: Record<string, string>;
}

/**
 * Encodes an Export…ServiceResponse. `rejectedField` is the name of the JSON field with the number of rejected records.
 */
export function encodeExportResponse(
  encoding: Encoding,
  rejectedField: string,
  partial?: PartialSuccess,
): EncodedAnswer {
  // Protobuf's JSON mapping writes 64-bit integers as text.
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

/**
 * Code of google.rpc for each kind of error. OTLP over HTTP sends the code in the body of the response, in addition to
 * the HTTP status.
 */
export const GRPC_CODE_BY_ERROR_KIND: Readonly<Record<ErrorKind, number>> = {
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
/** google.rpc code for an error of the server itself. */
export const GRPC_INTERNAL_CODE = 13;

/** Encodes a google.rpc.Status. */
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

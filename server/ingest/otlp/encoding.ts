import type { IncomingMessage } from "node:http";
import { PbfWriter } from "pbf";
import { type AppError, type ErrorKind, STATUS } from "../../errors.ts";
import { isJson } from "../request/headers.ts";

/** The encoding of a request and its answer. */
export type Encoding = "json" | "protobuf";

/** The records of an accepted request that were not kept. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** An answer's bytes and headers. */
export interface EncodedAnswer {
  body: Buffer | string;
  headers: Record<string, string | number>;
}

const PROTOBUF_TYPE = /^application\/(?:x-|vnd\.google\.)?protobuf\s*(?:;|$)/i;
const CONTENT_TYPES: Record<Encoding, string> = { json: "application/json", protobuf: "application/x-protobuf" };

/** The encoding of a request's body; undefined when it is neither. */
export function encodingOf(request: IncomingMessage): Encoding | undefined {
  if (isJson(request)) return "json";
  return PROTOBUF_TYPE.test(request.headers["content-type"] ?? "") ? "protobuf" : undefined;
}

/** An Export…ServiceResponse; `rejectedField` is what JSON calls the number of what was not kept. */
export function encodeSuccess(encoding: Encoding, rejectedField: string, partial?: PartialSuccess): EncodedAnswer {
  const headers = { "Content-Type": CONTENT_TYPES[encoding] };
  if (encoding === "json") {
    // Protobuf's mapping to JSON writes 64-bit integers as text.
    const success = partial && {
      ...(partial.rejected > 0 && { [rejectedField]: String(partial.rejected) }),
      errorMessage: partial.message,
    };
    return { body: JSON.stringify(success ? { partialSuccess: success } : {}), headers };
  }
  const pbf = new PbfWriter();
  if (partial) pbf.writeMessage(1, writePartial, partial);
  return { body: Buffer.from(pbf.finish()), headers };
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
export const INTERNAL = 13;

/** A google.rpc.Status for an error, with the headers the error asks for. */
export function encodeError(encoding: Encoding, error: AppError): EncodedAnswer & { status: number } {
  const { retryAfter, headers } = error.details;
  const encoded = encodeStatus(encoding, RPC_CODES[error.kind], error.message);
  return {
    status: STATUS[error.kind],
    body: encoded.body,
    headers: { ...encoded.headers, ...headers, ...(retryAfter && { "Retry-After": retryAfter }) },
  };
}

/** A google.rpc.Status for what went wrong on this side. */
export const encodeInternal = (encoding: Encoding): EncodedAnswer & { status: number } => ({
  status: 500,
  ...encodeStatus(encoding, INTERNAL, "Something went wrong"),
});

function encodeStatus(encoding: Encoding, code: number, message: string): EncodedAnswer {
  const headers = { "Content-Type": CONTENT_TYPES[encoding] };
  if (encoding === "json") return { body: JSON.stringify({ code, message }), headers };
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, code);
  pbf.writeStringField(2, message);
  return { body: Buffer.from(pbf.finish()), headers };
}

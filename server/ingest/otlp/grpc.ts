import type { IncomingMessage } from "node:http";
import {
  createServer,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { getOwnProperty } from "../../../formats/own.ts";
import { AppError, unavailable } from "../../errors.ts";
import { newId } from "../../id.ts";
import type { Ingestion } from "../ingestion.ts";
import { bodyTooLargeError, corruptBodyError } from "../request/body/refusals.ts";
import { unsupportedMediaTypeError } from "../request/headers.ts";
import type { MemoryReservation } from "../request/memory-budget.ts";
import { type CallerErrorMapper, createCallerErrorMapper } from "../request/refusal.ts";
import { encodeExportResponse, GRPC_CODE_BY_ERROR_KIND, GRPC_INTERNAL_CODE } from "./handler.ts";
import { describePartialSuccess, receiveExport } from "./receive.ts";
import { type OtlpSignal, otlpSignals } from "./signals.ts";

/** OTLP over gRPC, on a separate port. */
export interface GrpcServer {
  port: number;
  /** Stops accepting calls and lets running calls finish within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

const SERVICE = /^\/opentelemetry\.proto\.collector\.(?:trace|logs|metrics)\.v1\.(Trace|Logs|Metrics)Service\/Export$/;
const PATHS: Readonly<Record<string, string>> = { Trace: "/v1/traces", Logs: "/v1/logs", Metrics: "/v1/metrics" };
const SETTINGS = { maxConcurrentStreams: 100, maxHeaderListSize: 16 * 1024 };
const MAX_CONNECTIONS = 1_000;
/** Maximum time in ms that a connection with a key may be idle. */
const IDLE_MS = 120_000;
/**
 * Times in ms for a connection without a valid key; 10 s in total. `show` is the maximum time until the connection
 * presents a key. `end` is the time that running calls then get to finish.
 */
const KEY_WAITS = { show: 9_000, end: 1_000 };
/** Maximum time in ms for the unread rest of a message to arrive. */
const LINGER_MS = 5_000;
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;

/** Listens on OTLP_GRPC_PORT; undefined if the port is not configured. @throws when the port is taken */
export async function listenGrpc(parts: Ingestion, waits = KEY_WAITS): Promise<GrpcServer | undefined> {
  const { OTLP_GRPC_PORT, HOST } = parts.runtime.config;
  if (OTLP_GRPC_PORT === undefined) return undefined;
  const refused = createCallerErrorMapper(parts.runtime);
  const server = createServer({ settings: SETTINGS, maxSessionMemory: 16 });
  server.maxConnections = MAX_CONNECTIONS;
  const { sessions, showedKey } = sessionsOf(server, waits);
  server.on("request", (request, response) => {
    response.stream.on("error", () => {});
    void serve(
      { ...parts, keys: notingKeys(parts, () => showedKey(request.stream.session)) },
      refused,
      request,
      response,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(OTLP_GRPC_PORT, HOST, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.close();
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/**
 * Tracks open connections. Closes connections without a valid key in time, and connections with a key that are idle for
 * long.
 */
function sessionsOf(server: Http2Server, waits: typeof KEY_WAITS) {
  const sessions = new Set<Http2Session>();
  const awaited = new WeakMap<Http2Session, NodeJS.Timeout>();
  const close = (session: Http2Session) => {
    session.close();
    awaited.set(session, setTimeout(() => session.destroy(), waits.end).unref());
  };
  const showedKey = (session: Http2Session | undefined) => session && clearTimeout(awaited.get(session));
  server.on("session", (session) => {
    sessions.add(session);
    awaited.set(session, setTimeout(close, waits.show, session).unref());
    session.setTimeout(IDLE_MS, () => session.close());
    session
      .on("error", () => session.destroy())
      .once("close", () => {
        showedKey(session);
        sessions.delete(session);
      });
  });
  return { sessions: sessions as ReadonlySet<Http2Session>, showedKey };
}

/** Wraps the key finder so that `showed` is called each time a valid key is found. */
const notingKeys = ({ keys }: Ingestion, showed: () => void): Ingestion["keys"] => ({
  ...keys,
  async find(text) {
    const key = await keys.find(text);
    if (key) showed();
    return key;
  },
});

async function serve(
  parts: Ingestion,
  refused: CallerErrorMapper,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const signal = otlpSignals.get(getOwnProperty(PATHS, SERVICE.exec(request.url)?.[1] ?? "") ?? "");
  if (!signal || request.method !== "POST") return end(response, UNIMPLEMENTED, "Unknown gRPC method");
  try {
    if (parts.runtime.stopping.aborted) throw unavailable("The server is stopping; try again");
    const message = await exported(parts, signal, request);
    refused.succeeded();
    response.writeHead(200, { "content-type": "application/grpc" });
    response.addTrailers({ "grpc-status": "0" });
    response.end(framed(message));
  } catch (error) {
    const known = refused.of(error, newId());
    end(response, known ? codeOf(known) : GRPC_INTERNAL_CODE, known?.message ?? "Something went wrong");
  }
}

async function exported(parts: Ingestion, signal: OtlpSignal, request: Http2ServerRequest): Promise<Buffer> {
  const { headers } = request;
  // Node's HTTP/2 request has all members of an HTTP/1 request that reading keys and bodies needs.
  const outcome = await receiveExport(parts, request as unknown as IncomingMessage, {
    checkType() {
      if (!/^application\/grpc(?:\+proto)?\s*(?:;|$)/i.test(headers["content-type"] ?? ""))
        throw unsupportedMediaTypeError("application/grpc");
    },
    read(body, memory) {
      const bounds = { maxBytes: parts.bodyLimits.maxBytes, memory };
      return signal.read(messageOf(body, String(headers["grpc-encoding"] ?? ""), bounds), "protobuf");
    },
  });
  return Buffer.from(encodeExportResponse("protobuf", signal.rejectedField, describePartialSuccess(outcome)).body);
}

/**
 * Returns the gRPC code of an error. Rate limits use UNAVAILABLE, because exporters retry after UNAVAILABLE but not
 * after a plain RESOURCE_EXHAUSTED.
 */
const codeOf = ({ kind }: AppError): number => (kind === "ratelimited" ? UNAVAILABLE : GRPC_CODE_BY_ERROR_KIND[kind]);

/**
 * Ends a call without a response message. Discards the rest of the caller's message, and closes the stream after at
 * most LINGER_MS.
 */
function end(response: Http2ServerResponse, code: number, message: string): void {
  const { stream } = response;
  if (stream.destroyed || stream.closed) return;
  const status = { "grpc-status": String(code), "grpc-message": encodeURIComponent(message) };
  stream.respond({ ":status": 200, "content-type": "application/grpc", ...status }, { endStream: true });
  if (stream.readableEnded) return;
  stream.resume();
  const timer = setTimeout(() => stream.close(), LINGER_MS).unref();
  stream.once("close", () => clearTimeout(timer));
}

/** Size of the header of a gRPC frame: one byte with flags, and four bytes with the length. */
const HEAD_BYTES = 5;

/** Limits of a message after decompression. */
interface MessageBounds {
  maxBytes: number;
  memory: MemoryReservation;
}

/** Returns the only message of a call, decompressed. @throws AppError 400 or 413 */
function messageOf(body: Buffer, coding: string, { maxBytes, memory }: MessageBounds): Buffer {
  const isWhole = body.length >= HEAD_BYTES && body.readUInt32BE(1) === body.length - HEAD_BYTES;
  if (!isWhole) throw new AppError("input", "The call must contain exactly one message", { tag: "invalid_body" });
  const message = body.subarray(HEAD_BYTES);
  if (body[0] === 0) return message;
  if (coding !== "gzip")
    throw new AppError("method", "Send messages uncompressed or with grpc-encoding gzip", {
      tag: "unsupported_encoding",
    });
  return inflated(message, { maxBytes, memory });
}

function inflated(message: Buffer, { maxBytes, memory }: MessageBounds): Buffer {
  // The last four bytes of gzip data contain the decompressed length. If that length is false, the `maxOutputLength`
  // below stops the decompression.
  const length = message.length >= 4 ? message.readUInt32LE(message.length - 4) : 0;
  if (length > maxBytes) throw bodyTooLargeError(maxBytes);
  memory.grow(message.length + length);
  try {
    return gunzipSync(message, { maxOutputLength: Math.max(1, length) });
  } catch {
    throw corruptBodyError();
  }
}

/** Adds the gRPC frame header to a message. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

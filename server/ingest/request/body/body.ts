import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createJobQueue } from "../../../../concurrency/slices.ts";
import { contentCoding } from "../headers.ts";
import type { MemoryReservation } from "../memory-budget.ts";
import { addBodyChunk, type BodyChunks, createBodyChunks, isLargeBody, joinBodyChunks } from "./pieces.ts";
import {
  bodyTimeoutError,
  bodyTooLargeError,
  corruptBodyError,
  MAX_BODY_CHUNKS,
  requestAbortedError,
  tooManyBodyChunksError,
} from "./refusals.ts";
import { type BodyWatch, watchBody } from "./timeout.ts";

export interface BodyLimits {
  /** Bytes, after decompression. */
  maxBytes: number;
  /** Maximum pause between two chunks, ms. */
  stallMs: number;
  /** Maximum time for the whole body, ms. */
  totalMs: number;
}

/** Rejects a body whose Content-Length is too large. @throws AppError 413 */
export function checkLength({ headers }: IncomingMessage, { maxBytes }: BodyLimits): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLargeError(maxBytes);
}

/** Queue that processes large bodies one at a time. Small bodies do not wait in the queue. */
const inTurn = createJobQueue();

/**
 * Reads and decompresses a body, and resolves with the result of `use`. Reserves memory in `memory` as the body grows.
 * `use` must not keep the bytes after it has resolved, because the next body reuses the buffer.
 * @throws AppError 413 over the limit, 400 for a corrupt stream, 408 when the body stalls, 503 when no memory is left
 */
export function readBody<T>(
  request: IncomingMessage,
  { limits, memory }: { limits: BodyLimits; memory: MemoryReservation },
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T> {
  const inflater = inflaterOf(request);
  if (!inflater) memory.grow(Number(request.headers["content-length"] ?? 0));
  return new Promise((resolve, reject) => {
    const done = async (pieces: BodyChunks) => {
      try {
        resolve(await use(joinBodyChunks(pieces)));
      } catch (error) {
        reject(error);
      }
    };
    const body: Body = {
      request,
      inflater,
      limits,
      memory,
      done,
      reject,
      pieces: createBodyChunks(),
      arrived: 0,
      count: 0,
      over: false,
    };
    const watch = watchBody(limits, () => fail(body, bodyTimeoutError()));
    body.watch = watch;
    request
      .on("error", () => fail(body, requestAbortedError()))
      .once("aborted", () => fail(body, requestAbortedError()));
    request.on("data", (piece: Buffer) => arrive(body, piece));
    if (inflater) request.pipe(inflater).on("error", () => fail(body, corruptBodyError()));
    (inflater ?? request).on("data", (piece: Buffer) => take(body, piece)).once("end", () => finish(body));
  });
}

interface Body {
  request: IncomingMessage;
  inflater: Duplex | undefined;
  limits: BodyLimits;
  memory: MemoryReservation;
  /** Never rejects. */
  done(pieces: BodyChunks): Promise<void>;
  reject(error: unknown): void;
  pieces: BodyChunks;
  /** Number of bytes received, and number of chunks, both before decompression. */
  arrived: number;
  count: number;
  over: boolean;
  watch?: BodyWatch;
}

/**
 * Limits the received bytes and chunks. The limits apply before decompression, because compressed data may decompress
 * to nothing, and because even a small chunk costs work.
 */
function arrive(body: Body, piece: Buffer): void {
  if (body.over) return;
  body.watch?.beat();
  body.arrived += piece.length;
  body.count += 1;
  if (body.arrived > body.limits.maxBytes) fail(body, bodyTooLargeError(body.limits.maxBytes));
  else if (body.count > MAX_BODY_CHUNKS) fail(body, tooManyBodyChunksError());
}

function take(body: Body, piece: Buffer): void {
  if (body.over) return;
  addBodyChunk(body.pieces, piece);
  const { size } = body.pieces;
  try {
    if (size > body.limits.maxBytes) throw bodyTooLargeError(body.limits.maxBytes);
    body.memory.grow(size);
  } catch (error) {
    fail(body, error);
  }
}

function finish(body: Body): void {
  if (body.over) return;
  const { pieces, done } = body;
  end(body);
  if (isLargeBody(pieces)) inTurn(() => done(pieces));
  else void done(pieces);
}

function fail(body: Body, error: unknown): void {
  if (body.over) return;
  end(body);
  if (body.inflater) body.request.unpipe(body.inflater);
  body.inflater?.destroy();
  body.reject(error);
}

/**
 * Releases the bytes before the response is sent. Otherwise, the request's listeners would keep `body`, and its bytes,
 * in memory until then, which may be after waiting in a queue.
 */
function end(body: Body): void {
  body.over = true;
  body.pieces = createBodyChunks();
  body.watch?.stop();
}

/** Creates the decompression stream for a request's Content-Encoding; undefined for an uncompressed body. */
const inflaterOf = (request: IncomingMessage): Duplex | undefined => INFLATERS.get(contentCoding(request))?.();

const INFLATERS = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createJobQueue } from "../../../../concurrency/slices.ts";
import { contentCoding } from "../headers.ts";
import type { Reservation } from "../memory-budget.ts";
import { addPiece, isLarge, joinPieces, noPieces, type Pieces } from "./pieces.ts";
import { bodyTooLarge, corruptBody, cutShort, MAX_PIECES, tooLate, tooManyPieces } from "./refusals.ts";
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
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Processes large bodies one at a time. Small bodies that arrive in the meantime are processed in between. */
const inTurn = createJobQueue();

/**
 * Reads and decompresses a body, and resolves with the result of `use`. Charges the growing size to `memory`. `use`
 * must not keep the bytes after its result, because the next body reuses the buffer.
 * @throws AppError 413 over the limit, 400 for a corrupt stream, 408 when the body stalls, 503 when no memory is left
 */
export function readBody<T>(
  request: IncomingMessage,
  { limits, memory }: { limits: BodyLimits; memory: Reservation },
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T> {
  const inflater = inflaterOf(request);
  if (!inflater) memory.grow(Number(request.headers["content-length"] ?? 0));
  return new Promise((resolve, reject) => {
    const done = async (pieces: Pieces) => {
      try {
        resolve(await use(joinPieces(pieces)));
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
      pieces: noPieces(),
      arrived: 0,
      count: 0,
      over: false,
    };
    const watch = watchBody(limits, () => fail(body, tooLate()));
    body.watch = watch;
    request.on("error", () => fail(body, cutShort())).once("aborted", () => fail(body, cutShort()));
    request.on("data", (piece: Buffer) => arrive(body, piece));
    if (inflater) request.pipe(inflater).on("error", () => fail(body, corruptBody()));
    (inflater ?? request).on("data", (piece: Buffer) => take(body, piece)).once("end", () => finish(body));
  });
}

interface Body {
  request: IncomingMessage;
  inflater: Duplex | undefined;
  limits: BodyLimits;
  memory: Reservation;
  /** Never rejects. */
  done(pieces: Pieces): Promise<void>;
  reject(error: unknown): void;
  pieces: Pieces;
  /** Bytes and chunks as sent, before decompression. */
  arrived: number;
  count: number;
  over: boolean;
  watch?: BodyWatch;
}

/** Limits the sent bytes and chunks. A stream may decompress to nothing, and each chunk costs work, however small. */
function arrive(body: Body, piece: Buffer): void {
  if (body.over) return;
  body.watch?.beat();
  body.arrived += piece.length;
  body.count += 1;
  if (body.arrived > body.limits.maxBytes) fail(body, bodyTooLarge(body.limits.maxBytes));
  else if (body.count > MAX_PIECES) fail(body, tooManyPieces());
}

function take(body: Body, piece: Buffer): void {
  if (body.over) return;
  addPiece(body.pieces, piece);
  const { size } = body.pieces;
  try {
    if (size > body.limits.maxBytes) throw bodyTooLarge(body.limits.maxBytes);
    body.memory.grow(size);
  } catch (error) {
    fail(body, error);
  }
}

function finish(body: Body): void {
  if (body.over) return;
  const { pieces, done } = body;
  end(body);
  if (isLarge(pieces)) inTurn(() => done(pieces));
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
 * Releases the bytes early, because the request's listeners reference `body` until the response is sent, after the
 * body's turn in a queue.
 */
function end(body: Body): void {
  body.over = true;
  body.pieces = noPieces();
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

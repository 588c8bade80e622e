import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { oneAtATime } from "../../../../concurrency/slices.ts";
import { coding } from "../headers.ts";
import type { Reservation } from "../memory-budget.ts";
import { addPiece, isLarge, joinPieces, noPieces, type Pieces } from "./pieces.ts";
import { bodyTooLarge, corruptBody, cutShort, MAX_PIECES, tooLate, tooManyPieces } from "./refusals.ts";
import { type BodyWatch, watchBody } from "./timeout.ts";

/** Bounds of one body. */
export interface BodyLimits {
  /** Bytes, counted after inflation. */
  maxBytes: number;
  /** The longest pause between two pieces, ms. */
  stallMs: number;
  /** The longest time for all of it, ms. */
  totalMs: number;
}

/** Refuses a body that is too large by its Content-Length. @throws AppError 413 */
export function checkLength({ headers }: IncomingMessage, { maxBytes }: BodyLimits): void {
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Large bodies are used one after the other: small ones that arrive meanwhile are used in between. */
const inTurn = oneAtATime();

/**
 * Reads a body, inflating it, and resolves to what `use` makes of it; what it takes is charged to `memory` as it grows.
 * `use` must not keep the bytes beyond its result: the next body is put together in the same place.
 * @throws AppError 413 over the limit, 400 for a corrupt stream, 408 when it stalls, 503 when memory is taken
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
  /** Bytes and pieces as they were sent, before inflation. */
  arrived: number;
  count: number;
  over: boolean;
  watch?: BodyWatch;
}

/** Bounds what is sent: a stream may inflate to nothing, and each piece costs work however small it is. */
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

/** Lets the bytes go: listeners of the request hold `body` until it is answered, after its turn in a queue. */
function end(body: Body): void {
  body.over = true;
  body.pieces = noPieces();
  body.watch?.stop();
}

/** The stream that inflates the body of a request, by its Content-Encoding; undefined for a body that is sent as it is. */
const inflaterOf = (request: IncomingMessage): Duplex | undefined => INFLATERS.get(coding(request))?.();

const INFLATERS = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

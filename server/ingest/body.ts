import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AppError } from "../errors.ts";
import { coding } from "./headers.ts";
import { type Pace, watchPace } from "./pace.ts";
import type { Share } from "./share.ts";

/** Bounds of one body. */
export interface BodyLimits {
  /** Bytes, counted after inflation. */
  maxBytes: number;
  /** The longest pause between two pieces, ms. */
  stallMs: number;
  /** The longest time for all of it, ms. */
  totalMs: number;
}

const INFLATERS = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Over the limit on a body's bytes. */
export const tooLarge = (limit: number) =>
  new AppError("too_large", `The body must be at most ${limit} bytes, after inflation`, {
    tag: "payload_too_large",
    limit,
  });

/**
 * Reads a body, inflating it; what it takes is charged to `share` as it grows.
 * @throws AppError 413 over the limit, 400 for a corrupt stream, 408 when it stalls, 503 when memory is taken
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, share: Share): Promise<Buffer> {
  const inflater = INFLATERS.get(coding(request))?.();
  if (!inflater) share.grow(Number(request.headers["content-length"] ?? 0));
  return new Promise((resolve, reject) => {
    const body: Body = { request, inflater, limits, share, resolve, reject, pieces: [], size: 0, over: false };
    const pace = watchPace(limits, () => fail(body, new AppError("timeout", "The body did not arrive in time", LATE)));
    body.pace = pace;
    request.on("error", () => fail(body, cutShort())).once("aborted", () => fail(body, cutShort()));
    if (inflater)
      request
        .on("data", pace.beat)
        .pipe(inflater)
        .on("error", () => fail(body, corrupt()));
    (inflater ?? request).on("data", (piece: Buffer) => take(body, piece)).once("end", () => finish(body));
  });
}

interface Body {
  request: IncomingMessage;
  inflater: Duplex | undefined;
  limits: BodyLimits;
  share: Share;
  resolve(bytes: Buffer): void;
  reject(error: unknown): void;
  pieces: Buffer[];
  size: number;
  over: boolean;
  pace?: Pace;
}

const LATE = { tag: "request_timeout", headers: { Connection: "close" } };
const cutShort = () => new AppError("input", "The request was cut short", { tag: "aborted" });
const corrupt = () => new AppError("input", "The compressed body is corrupt", { tag: "invalid_encoding" });

function take(body: Body, piece: Buffer): void {
  if (body.over) return;
  body.pace?.beat();
  body.size += piece.length;
  body.pieces.push(piece);
  try {
    if (body.size > body.limits.maxBytes) throw tooLarge(body.limits.maxBytes);
    body.share.grow(body.size);
  } catch (error) {
    fail(body, error);
  }
}

function finish(body: Body): void {
  if (body.over) return;
  end(body);
  const [only] = body.pieces;
  body.resolve(body.pieces.length === 1 && only ? only : Buffer.concat(body.pieces, body.size));
}

function fail(body: Body, error: unknown): void {
  if (body.over) return;
  end(body);
  body.pieces = [];
  if (body.inflater) body.request.unpipe(body.inflater);
  body.inflater?.destroy();
  body.reject(error);
}

function end(body: Body): void {
  body.over = true;
  body.pace?.stop();
}

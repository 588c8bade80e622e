import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { AppError } from "../errors.ts";
import { coding } from "./headers.ts";
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

type Fail = (error: unknown) => void;

const INFLATERS = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

const STALLED = { tag: "request_timeout", headers: { Connection: "close" } };

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
  const source = inflater ? request.pipe(inflater) : request;
  return new Promise((resolve, reject) => {
    const body = collector(limits.maxBytes, share);
    const fail: Fail = (error) => {
      settle();
      if (inflater) request.unpipe(inflater);
      inflater?.destroy();
      reject(error);
    };
    const settle = watchPace(request, limits, fail);
    source.on("data", (chunk: Buffer) => {
      const refusal = body.add(chunk);
      if (refusal) fail(refusal);
    });
    source.once("end", () => {
      settle();
      resolve(body.whole());
    });
    inflater?.on("error", () =>
      fail(new AppError("input", "The compressed body is corrupt", { tag: "invalid_encoding" })),
    );
  });
}

/** Gathers pieces up to a limit; `add` answers why a piece is refused, and keeps nothing from then on. */
function collector(maxBytes: number, share: Share) {
  let pieces: Buffer[] = [];
  let size = 0;
  let refused = false;
  return {
    add(piece: Buffer): unknown {
      if (refused) return undefined;
      size += piece.length;
      pieces.push(piece);
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        share.grow(size);
      } catch (error) {
        refused = true;
        pieces = [];
        return error;
      }
    },
    whole: () => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size)),
  };
}

/** Fails a body that stalls, takes too long or is cut short. Answers the way to stop watching. */
function watchPace(request: IncomingMessage, limits: BodyLimits, fail: Fail): () => void {
  const begun = Date.now();
  const late = () => fail(new AppError("timeout", "The body did not arrive in time", STALLED));
  const timer = setTimeout(late, limits.stallMs);
  const beat = () => {
    if (Date.now() - begun > limits.totalMs) late();
    else timer.refresh();
  };
  const cut = () => fail(new AppError("input", "The request was cut short", { tag: "aborted" }));
  request.on("data", beat).once("aborted", cut).on("error", cut);
  return () => {
    clearTimeout(timer);
    request.off("data", beat).off("aborted", cut);
  };
}

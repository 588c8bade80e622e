import { gunzipSync } from "node:zlib";
import { AppError } from "../../../errors.ts";
import { bodyTooLarge, corruptBody } from "../../request/body/refusals.ts";
import type { Reservation } from "../../request/memory-budget.ts";

/** A flag, and four bytes of length. */
const HEAD_BYTES = 5;

/** The bounds of a message after inflation. */
export interface MessageBounds {
  maxBytes: number;
  memory: Reservation;
}

/** The one message of a call, inflated. @throws AppError 400 or 413 */
export function messageOf(body: Buffer, coding: string, { maxBytes, memory }: MessageBounds): Buffer {
  const isWhole = body.length >= HEAD_BYTES && body.readUInt32BE(1) === body.length - HEAD_BYTES;
  if (!isWhole) throw new AppError("input", "The call must carry one message", { tag: "invalid_body" });
  const message = body.subarray(HEAD_BYTES);
  if (body[0] === 0) return message;
  if (coding !== "gzip")
    throw new AppError("method", "Send messages as they are or with grpc-encoding gzip", {
      tag: "unsupported_encoding",
    });
  return inflated(message, { maxBytes, memory });
}

function inflated(message: Buffer, { maxBytes, memory }: MessageBounds): Buffer {
  // The last four bytes say how long it becomes; who lies about it reaches the bound below.
  const length = message.length >= 4 ? message.readUInt32LE(message.length - 4) : 0;
  if (length > maxBytes) throw bodyTooLarge(maxBytes);
  memory.grow(message.length + length);
  try {
    return gunzipSync(message, { maxOutputLength: Math.max(1, length) });
  } catch {
    throw corruptBody();
  }
}

/** A message as it is sent. */
export function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

import type { Prices } from "../../prices/prices.ts";
import type { Scan } from "../../scans/index.ts";
import type { Redaction } from "../rules/redaction.ts";
import { bufferPool, type Writer } from "../tuple/index.ts";

/** Context of a request whose body has arrived, with the buffer for the COPY tuples of the request's events. */
export interface BodyContext {
  /** Arrival, epoch ms. */
  now: number;
  organizationId: string;
  redaction: Redaction;
  scan: Scan;
  prices: Prices;
  tuples: Writer;
  /** Name of the sending computer, from the query of the URL. */
  host?: string | undefined;
}

/**
 * Allocating a smaller buffer is faster than finding one in the pool. A tuple needs up to 256 bytes more than the sent
 * event; most tuples need less.
 */
const SMALL_BYTES = 32 * 1024;
const rooms = bufferPool({ least: 2 * SMALL_BYTES, most: 16 * 1024 * 1024 });

/** Takes a buffer for the tuples of a body of the given size. */
export const takeBuffer = (bytes: number): Writer => rooms.take(bytes + Math.min(bytes, SMALL_BYTES) + 256);

/** Returns the buffer to the pool. Call when the events are stored or rejected. */
export const giveBuffer = (tuples: Writer): void => rooms.give(tuples);

import type { CostCalculator } from "../../prices/prices.ts";
import type { RequestScan } from "../../scans/index.ts";
import type { MetadataRedaction } from "../rules/redaction.ts";
import { createBufferPool, type Writer } from "../tuple/index.ts";

/** Context of a request whose body has arrived. `tuples` is the buffer for the COPY tuples of the request's events. */
export interface BodyContext {
  /** Arrival, epoch ms. */
  now: number;
  organizationId: string;
  redaction: MetadataRedaction;
  scan: RequestScan;
  prices: CostCalculator;
  tuples: Writer;
  /** Name of the computer that sent the request, from the query of the URL. */
  host?: string | undefined;
}

/**
 * Body size in bytes below which a new buffer is allocated, because allocating a small buffer is faster than finding
 * one in the pool. A tuple needs up to 256 bytes more than the sent event; most tuples need less.
 */
const SMALL_BYTES = 32 * 1024;
const rooms = createBufferPool({ least: 2 * SMALL_BYTES, most: 16 * 1024 * 1024 });

/** Takes a buffer for the tuples of a body of the given size. */
export const borrowTupleBuffer = (bytes: number): Writer => rooms.take(bytes + Math.min(bytes, SMALL_BYTES) + 256);

/** Returns the buffer to the pool. Call the function after the events are stored or rejected. */
export const returnTupleBuffer = (tuples: Writer): void => rooms.give(tuples);

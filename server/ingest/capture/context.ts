import type { Prices } from "../../prices/prices.ts";
import type { Scan } from "../../scans/index.ts";
import type { Redaction } from "../rules/redaction.ts";
import { bufferPool, type Writer } from "../tuple/index.ts";

/** The facts about a request once its body has arrived, and the buffer for the tuples of its events. */
export interface BodyContext {
  /** Epoch ms. */
  now: number;
  organizationId: string;
  redaction: Redaction;
  scan: Scan;
  prices: Prices;
  tuples: Writer;
  /** The name of the computer that sends, as its address says. */
  host?: string | undefined;
}

/** Smaller rooms are made faster than found. A tuple takes up to 256 bytes besides what was sent, most take fewer. */
const SMALL_BYTES = 32 * 1024;
const rooms = bufferPool({ least: 2 * SMALL_BYTES, most: 16 * 1024 * 1024 });

/** A buffer for the tuples of a body of so many bytes. */
export const takeBuffer = (bytes: number): Writer => rooms.take(bytes + Math.min(bytes, SMALL_BYTES) + 256);

/** Gives the buffer back once the events are stored, or will not be. */
export const giveBuffer = (tuples: Writer): void => rooms.give(tuples);

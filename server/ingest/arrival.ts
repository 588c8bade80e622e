import type { Redaction } from "./redaction.ts";
import { type Writer, writer } from "./store/writer.ts";

/** What is known of a request when its body has come, and the room for the tuples of its events. */
export interface Arrival {
  /** Epoch ms. */
  now: number;
  organizationId: string;
  redaction: Redaction;
  tuples: Writer;
}

/** Up to this many bytes new memory costs less than a search for old. */
const SMALL_BYTES = 32 * 1024;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_SPARES = 8;
const spares: Writer[] = [];

/** Room for the tuples of a body of so many bytes. */
export const takeRoom = (bytes: number): Writer =>
  (bytes > SMALL_BYTES && spares.pop()) || writer(bytes + Math.min(bytes, SMALL_BYTES) + 256);

/** Keeps large rooms for the next requests: new memory costs more than what is written to it. */
export function giveRoom(tuples: Writer): void {
  const { buffer } = tuples;
  const { length } = buffer;
  if (length > SMALL_BYTES && length <= MOST_BYTES && spares.length < MOST_SPARES) spares.push({ buffer, at: 0 });
}

import { DAY_MS } from "../../../formats/time.ts";

/** A latency that an agent got wrong draws a session no longer than this. */
const LONGEST_MS = 31 * DAY_MS;

/** SQL of when an event ended. */
export const endOf = (alias: string): string =>
  `${alias}.timestamp + least(coalesce(${alias}.latency, 0), ${LONGEST_MS}) * interval '1 millisecond'`;

/** The same of an event in hand, in epoch ms. */
export const endedAt = ({ timestamp, latency }: { timestamp: number; latency: number | null }): number =>
  timestamp + Math.min(latency ?? 0, LONGEST_MS);

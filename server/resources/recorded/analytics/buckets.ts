import { HOUR_MS } from "../../../../formats/time.ts";

/** Boundaries between the latency bands, in milliseconds. */
export const LATENCY_BAND_EDGES_MS = [10, 30, 100, 300, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];
/** Lower limit of the last bucket in milliseconds. All longer latencies count in the last bucket. */
const LONGEST = 4 * HOUR_MS;
/** Approximate ratio of the lengths of consecutive buckets. */
const FACTOR = 1.1;
/** Bucket of calls without a latency. */
const NO_LATENCY = -1;

/**
 * Lower limits of the buckets in milliseconds, from the second bucket on; the first bucket begins at 0. Each bucket is
 * a tenth longer than the previous bucket, except that the smallest buckets contain one number each. Every bucket lies
 * within one latency band, so the count of a band is a sum of buckets.
 */
const BEGINNINGS: readonly number[] = beginnings();

function beginnings(): number[] {
  const found = [1];
  for (const [n, edge] of [...LATENCY_BAND_EDGES_MS, LONGEST].entries()) {
    const from = LATENCY_BAND_EDGES_MS[n - 1] ?? 1;
    const steps = Math.ceil(Math.log(edge / from) / Math.log(FACTOR));
    for (let step = 1; step <= steps; step += 1) {
      const at = Math.round(from * (edge / from) ** (step / steps));
      if (at > (found.at(-1) ?? 0)) found.push(at);
    }
  }
  return found;
}

export const latencyBucket = (latency: number | null): number =>
  latency === null ? NO_LATENCY : BEGINNINGS.filter((at) => at <= latency).length;

/** Returns the middle of a bucket in milliseconds. The middle is shown for all latencies in the bucket. */
export const bucketMiddle = (bucket: number): number => {
  const [from = 0, next] = [BEGINNINGS[bucket - 1], BEGINNINGS[bucket]];
  return next === undefined ? from : (from + next - 1) / 2;
};

/** SQL for the number of the bucket that contains a latency; -1 for a call without a latency. */
export const latencyBucketSql = (latency: string): string =>
  `coalesce(width_bucket(${latency}, array[${BEGINNINGS.join()}]::bigint[]), ${NO_LATENCY})`;

/** SQL for the middle of a bucket in milliseconds; null for calls without a latency. */
export const latencyBucketMiddleSql = (bucket: string): string =>
  `(array[${[0, ...BEGINNINGS].map((_, n) => bucketMiddle(n)).join()}]::float8[])[${bucket} + 1]`;

/** SQL for the number of the latency band that contains a bucket: 0 to 11. */
export const latencyBandSql = (bucket: string): string =>
  `width_bucket(${bucket}, array[${LATENCY_BAND_EDGES_MS.map((edge) => latencyBucket(edge)).join()}]::integer[])`;

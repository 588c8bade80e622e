import { HOUR_MS } from "../../../../formats/time.ts";

/** Milliseconds at which one band of latency ends and the next begins. */
export const BAND_EDGES = [10, 30, 100, 300, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];
/** A latency beyond this is in the last bucket. */
const LONGEST = 4 * HOUR_MS;
/** About how much longer each bucket is than the one before. */
const FACTOR = 1.1;
/** The bucket of calls without a latency. */
const NO_LATENCY = -1;

/**
 * The beginnings of buckets, in milliseconds, from the second on; the first is 0. Each is a tenth longer than the one
 * before but for small ones, which hold one number. None lies in two bands: so bands add up from buckets.
 */
const BEGINNINGS: readonly number[] = beginnings();

function beginnings(): number[] {
  const found = [1];
  for (const [n, edge] of [...BAND_EDGES, LONGEST].entries()) {
    const from = BAND_EDGES[n - 1] ?? 1;
    const steps = Math.ceil(Math.log(edge / from) / Math.log(FACTOR));
    for (let step = 1; step <= steps; step += 1) {
      const at = Math.round(from * (edge / from) ** (step / steps));
      if (at > (found.at(-1) ?? 0)) found.push(at);
    }
  }
  return found;
}

/** The bucket of a latency. */
export const bucketOf = (latency: number | null): number =>
  latency === null ? NO_LATENCY : BEGINNINGS.filter((at) => at <= latency).length;

/** The latency that stands for a bucket: its middle. */
export const middleOf = (bucket: number): number => {
  const [from = 0, next] = [BEGINNINGS[bucket - 1], BEGINNINGS[bucket]];
  return next === undefined ? from : (from + next - 1) / 2;
};

/** SQL of the bucket of a latency. */
export const bucketSql = (latency: string): string =>
  `coalesce(width_bucket(${latency}, array[${BEGINNINGS.join()}]::bigint[]), ${NO_LATENCY})`;

/** SQL of the latency that stands for a bucket, null for none. */
export const middleSql = (bucket: string): string =>
  `(array[${[0, ...BEGINNINGS].map((_, n) => middleOf(n)).join()}]::float8[])[${bucket} + 1]`;

/** SQL of the band that a bucket lies in, 0 to 11. */
export const bandSql = (bucket: string): string =>
  `width_bucket(${bucket}, array[${BAND_EDGES.map((edge) => bucketOf(edge)).join()}]::integer[])`;

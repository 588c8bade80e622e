import { type CacheName, createCache } from "../../cache.ts";

/** Rate limit with one token bucket per key, in the memory of this process. */
export interface TokenBucket {
  /** Whole seconds until the key may continue; 0 if it may continue now. */
  wait(key: string): number;
  /**
   * Takes tokens from the bucket of a key. The number may fall below zero, because the events of a request are counted
   * only after the request was admitted.
   */
  take(key: string, tokens: number): void;
}

interface Level {
  tokens: number;
  at: number;
}

/** Object with two numbers. */
const LEVEL_BYTES = 60;

/**
 * Creates token buckets that refill with `perSecond` tokens per second, up to `burst` tokens. If `perSecond` is 0,
 * there is no limit. `name` is the name of the cache that stores the buckets.
 */
export function createTokenBucket(
  perSecond: number,
  burst: number,
  name: CacheName,
  clock: () => number = () => performance.now(),
): TokenBucket {
  if (perSecond === 0) return { wait: () => 0, take: () => {} };
  const levels = createCache<Level>({ name, sizeOf: () => LEVEL_BYTES });
  const refilled = (key: string): Level => {
    const now = clock();
    const known = levels.get(key);
    const level = known ?? { tokens: burst, at: now };
    level.tokens = Math.min(burst, level.tokens + ((now - level.at) / 1000) * perSecond);
    level.at = now;
    // Changes the entry in place, because `set` would recount the cache's bytes at every request.
    if (!known) levels.set(key, level);
    return level;
  };
  return {
    wait(key) {
      const { tokens } = refilled(key);
      return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond));
    },
    take(key, tokens) {
      refilled(key).tokens -= tokens;
    },
  };
}

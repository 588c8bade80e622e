import { type CacheName, createCache } from "../../cache.ts";

/** A rate limit with one token bucket for each key, in the memory of this process. */
export interface TokenBucket {
  /** Whole seconds until the key may go on; 0 when it may now. */
  wait(key: string): number;
  /** Takes tokens, into debt if need be: a batch is counted after it was let in. */
  take(key: string, tokens: number): void;
}

interface Level {
  tokens: number;
  at: number;
}

/** Two numbers in an object. */
const LEVEL_BYTES = 60;

/** A bucket that refills `perSecond` and holds `burst`. `perSecond` 0 = no limit. `name` says where its levels are kept. */
export function tokenBucket(
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
    // The entry is changed in place: setting it again would count its bytes at every request.
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

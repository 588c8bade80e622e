import { LRUCache } from "lru-cache";

const MIB = 1024 * 1024;

/** Maximum size of each cache in bytes. Together the caches take at most 64 MiB of a process. */
export const CACHE_BYTES = {
  documents: 7 * MIB,
  operations: 7 * MIB,
  plans: 13.5 * MIB,
  observations: 6 * MIB,
  "write-statements": 2 * MIB,
  "row-statements": 1 * MIB,
  rows: 6 * MIB,
  credentials: 2 * MIB,
  switches: 2 * MIB,
  rates: MIB / 2,
  "ingest-keys": 2 * MIB,
  "ingest-requests": 2 * MIB,
  "ingest-events": 2 * MIB,
  "ingest-repeats": 1 * MIB,
  "budget-leases": 3 * MIB,
  budgets: 2 * MIB,
  pages: 3 * MIB,
  web: 2 * MIB,
} as const;

export type CacheName = keyof typeof CACHE_BYTES;

export interface CacheOptions<Value> {
  name: CacheName;
  /** Measures the bytes that a value retains beside its key. An estimate should be too high rather than too low. */
  sizeOf(value: Value): number;
  /** Milliseconds after which an entry expires. */
  ttl?: number;
}

/**
 * Bytes that an entry takes in addition to its key and value, for its slots in the lists and the map of the cache.
 * Measured: 100 to 230 bytes.
 */
const ENTRY_BYTES = 200;
/** Maximum share of a cache that one entry may take, because a larger entry would evict all other entries. */
const LARGEST_SHARE = 1 / 2;

/**
 * An LRU cache without the methods of LRUCache that iterate. Code that runs for each row must not iterate, because
 * iteration visits every entry, including expired entries.
 */
export type Cache<Value extends NonNullable<unknown>> = Pick<
  LRUCache<string, Value>,
  "get" | "peek" | "has" | "set" | "delete" | "clear" | "size" | "calculatedSize" | "maxSize"
>;

/**
 * Returns the least recently used value of a cache without a ttl. With a
 * ttl, the call would iterate over expired entries.
 */
export function findOldest<Value extends NonNullable<unknown>>(cache: Cache<Value>): Value | undefined {
  const all = cache as LRUCache<string, Value>;
  if (all.ttl > 0) throw new Error("a cache with a ttl does not know its oldest entry");
  const [oldest] = all.rvalues();
  return oldest;
}

/** Memoizes a function of an object, such as a database. The result is garbage collected with the object. */
export function weakMemoize<Key extends object, Value extends NonNullable<unknown>>(make: (key: Key) => Value) {
  const made = new WeakMap<Key, Value>();
  return (key: Key): Value => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}

const opened = new Map<CacheName, WeakRef<{ calculatedSize: number; size: number }>[]>();

/**
 * Creates a cache with a limit in bytes that evicts the least recently used entry first. Every cache that lives
 * as long as the process is created here, so that all caches are limited and measured. A cache may evict any
 * entry at any time.
 */
export function createCache<Value extends NonNullable<unknown>>(options: CacheOptions<Value>): Cache<Value> {
  const { name, sizeOf, ttl } = options;
  const cache = new LRUCache<string, Value>({
    maxSize: CACHE_BYTES[name],
    maxEntrySize: CACHE_BYTES[name] * LARGEST_SHARE,
    sizeCalculation: (value, key) => ENTRY_BYTES + measureTextBytes(key) + Math.ceil(sizeOf(value)),
    // With the default resolution of 1 ms, an entry could outlive its ttl by 1 ms.
    ...(ttl !== undefined && { ttl, ttlResolution: 0 }),
  });
  opened.set(name, [...living(name), new WeakRef(cache)]);
  return cache;
}

/** Upper limit of a text's size in bytes: V8 uses two bytes per character when any character is not Latin-1. */
export const measureTextBytes = (text: string): number => 2 * text.length;

export const measureCaches = (): { name: CacheName; bytes: number; entries: number }[] =>
  (Object.keys(CACHE_BYTES) as CacheName[]).map((name) => {
    const caches = living(name).flatMap((reference) => reference.deref() ?? []);
    const sum = (of: "calculatedSize" | "size") => caches.reduce((total, cache) => total + cache[of], 0);
    return { name, bytes: sum("calculatedSize"), entries: sum("size") };
  });

const living = (name: CacheName) => (opened.get(name) ?? []).filter((reference) => reference.deref() !== undefined);

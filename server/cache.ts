import { LRUCache } from "lru-cache";

const MIB = 1024 * 1024;

/** The most that each cache may hold, in bytes. Together they take at most 64 MiB of a process. */
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

/** A cache that is declared. */
export type CacheName = keyof typeof CACHE_BYTES;

/** The rules by which a cache counts and forgets. */
export interface CacheOptions<Value> {
  name: CacheName;
  /** Bytes that a value retains beside its key; measured, and rather too many than too few. */
  sizeOf(value: Value): number;
  /** Milliseconds after which an entry counts no more. */
  ttl?: number;
}

/** The cost of one entry beside key and value: slots of the lists and of the map. Measured: 100 to 230 bytes. */
const ENTRY_BYTES = 200;
/** One entry may take this share; a larger one would push out everything else. */
const LARGEST_SHARE = 1 / 2;

/**
 * A cache. Nothing walks over one: code that runs for each row would take time for each entry, also for those that are
 * stale. An interface of LRUCache's own methods without those that walk.
 */
export type Cache<Value extends NonNullable<unknown>> = Pick<
  LRUCache<string, Value>,
  "get" | "peek" | "has" | "set" | "delete" | "clear" | "size" | "calculatedSize" | "maxSize"
>;

/** The least recently used value of a cache without a ttl: with one, stale entries would be walked over. */
export function oldestOf<Value extends NonNullable<unknown>>(cache: Cache<Value>): Value | undefined {
  const all = cache as LRUCache<string, Value>;
  if (all.ttl > 0) throw new Error("a cache with a ttl does not know its oldest entry");
  const [oldest] = all.rvalues();
  return oldest;
}

/** Memoizes a function of an object, such as a database. What it made goes with the object. */
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
 * A cache bounded by its bytes: the least recently used goes first. Every cache that lives as long as the process is
 * made here, so that all of them are bounded and measured. A cache may hold less than was put in, at any time.
 */
export function createCache<Value extends NonNullable<unknown>>(options: CacheOptions<Value>): Cache<Value> {
  const { name, sizeOf, ttl } = options;
  const cache = new LRUCache<string, Value>({
    maxSize: CACHE_BYTES[name],
    maxEntrySize: CACHE_BYTES[name] * LARGEST_SHARE,
    sizeCalculation: (value, key) => ENTRY_BYTES + textBytes(key) + Math.ceil(sizeOf(value)),
    // Without the resolution of 0 the clock would be read once a millisecond, and an entry live that much longer.
    ...(ttl !== undefined && { ttl, ttlResolution: 0 }),
  });
  opened.set(name, [...living(name), new WeakRef(cache)]);
  return cache;
}

/** Bytes of a text at most: V8 takes two a character as soon as one of them is not Latin-1. */
export const textBytes = (text: string): number => 2 * text.length;

/** The present size of every cache. */
export const cacheUse = (): { name: CacheName; bytes: number; entries: number }[] =>
  (Object.keys(CACHE_BYTES) as CacheName[]).map((name) => {
    const caches = living(name).flatMap((reference) => reference.deref() ?? []);
    const sum = (of: "calculatedSize" | "size") => caches.reduce((total, cache) => total + cache[of], 0);
    return { name, bytes: sum("calculatedSize"), entries: sum("size") };
  });

const living = (name: CacheName) => (opened.get(name) ?? []).filter((reference) => reference.deref() !== undefined);

import type { Database } from "../../../../db/open.ts";
import type { Observation } from "../../../agents/observation.ts";
import { createCache, findOldest, weakMemoize } from "../../../cache.ts";
import type { ObservationBatchRow } from "./observation-rows.ts";

/**
 * Cache of the observations that this process appended, so that the following fold does not read them from the
 * database.
 */
export interface RecentObservationCache {
  get(batch: BatchKey): readonly Observation[] | undefined;
  set(row: ObservationBatchRow): void;
}

/**
 * Identifies a stored row. The id is a hash of the row's content without arrival times, so the arrival time is needed
 * in addition.
 */
export type BatchKey = Pick<ObservationBatchRow, "part" | "batch_id" | "received_at">;

/** Estimated memory of an observation without its text, in bytes. */
const OBSERVATION_BYTES = 400;
/**
 * Maximum age of a cached row. Older rows are read again, because the database may have redacted a row in the
 * meantime.
 */
const FRESH_MS = 10_000;

interface Kept {
  observations: readonly Observation[];
  size: number;
  isRead: boolean;
  /** Time of the commit, as a `performance.now()` value. */
  at: number;
}

/** Returns the recent rows that this process appended to a database. */
export const getRecentObservationCache = weakMemoize((_db: Database): RecentObservationCache => {
  // The cache has no `ttl`: when the cache is full, each `set` looks up the oldest row, and with a `ttl` this lookup
  // would scan all expired rows.
  const rows = createCache<Kept>({ name: "observations", sizeOf: ({ size }) => size });
  const isFresh = ({ at }: Kept) => performance.now() - at < FRESH_MS;
  const keyOf = ({ part, batch_id, received_at }: BatchKey) => part + batch_id + received_at;
  return {
    get(batch) {
      const row = rows.peek(keyOf(batch));
      if (!row || !isFresh(row)) return undefined;
      row.isRead = true;
      return row.observations;
    },
    // When the cache is full, a new row may replace the oldest row only if a fold has read the oldest row or the row
    // has expired. Otherwise the new row is not cached, because folds take the oldest rows first.
    set(row) {
      const { observations, body } = row;
      const size = OBSERVATION_BYTES * observations.length + body.length;
      const oldest = rows.calculatedSize + size > rows.maxSize ? findOldest(rows) : undefined;
      if (oldest && !oldest.isRead && isFresh(oldest)) return;
      rows.set(keyOf(row), { observations, size, isRead: false, at: performance.now() });
    },
  };
});

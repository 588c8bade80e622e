import type { Database } from "../../../../db/open.ts";
import type { Observation } from "../../../agents/observation.ts";
import { createCache, findOldest, weakMemoize } from "../../../cache.ts";
import type { BatchRow } from "./observation-rows.ts";

/**
 * Cache of the observations that this process appended, so that the following fold does not read them from the
 * database.
 */
export interface RecentRows {
  get(batch: BatchKey): readonly Observation[] | undefined;
  set(row: BatchRow): void;
}

/** Stored row. Its id is a hash of its content without arrival times; the row contains the arrival time. */
export type BatchKey = Pick<BatchRow, "part" | "batch_id" | "received_at">;

/** Estimated size of an observation's members in addition to its text. */
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
export const recentRows = weakMemoize((_db: Database): RecentRows => {
  // Without a ttl: each `set` asks for the oldest row, which must not require a scan over expired rows.
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
    // A fold takes the oldest rows first. Rows that a fold has read make room for new rows. If the oldest row is
    // still unread, the newest row is not cached.
    set(row) {
      const { observations, body } = row;
      const size = OBSERVATION_BYTES * observations.length + body.length;
      const oldest = rows.calculatedSize + size > rows.maxSize ? findOldest(rows) : undefined;
      if (oldest && !oldest.isRead && isFresh(oldest)) return;
      rows.set(keyOf(row), { observations, size, isRead: false, at: performance.now() });
    },
  };
});

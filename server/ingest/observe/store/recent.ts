import type { Database } from "../../../../db/open.ts";
import { createCache, oldestOf, weakMemoize } from "../../../cache.ts";
import type { Observation } from "../observation.ts";
import type { BatchRow } from "./observation-rows.ts";

/** Observations that this process appended, as they are stored: the fold that follows need not read them. */
export interface Recent {
  get(batch: BatchKey): readonly Observation[] | undefined;
  set(row: BatchRow): void;
}

/** A stored row. Its id is a hash of its content but for times of arrival, which are those of the row. */
export type BatchKey = Pick<BatchRow, "part" | "batch_id" | "received_at">;

/** Members of an observation, beside its texts. */
const OBSERVATION_BYTES = 400;
/** A row that was redacted since is read anew after this time. */
const FRESH_MS = 10_000;

interface Kept {
  observations: readonly Observation[];
  size: number;
  isRead: boolean;
  /** When it was appended, by `performance.now()`. */
  at: number;
}

/** The rows that this process appended lately to a database. */
export const recentOf = weakMemoize((_db: Database): Recent => {
  // Without a ttl: each row asks for the oldest, which must not take a walk over stale ones.
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
    // A fold takes the oldest first. Those that were read make room; while the oldest still waits, the newest is left out.
    set(row) {
      const { observations, body } = row;
      const size = OBSERVATION_BYTES * observations.length + body.length;
      const oldest = rows.calculatedSize + size > rows.maxSize ? oldestOf(rows) : undefined;
      if (oldest && !oldest.isRead && isFresh(oldest)) return;
      rows.set(keyOf(row), { observations, size, isRead: false, at: performance.now() });
    },
  };
});

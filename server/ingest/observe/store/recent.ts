import type { Database } from "../../../../db/open.ts";
import { createCache, weakMemoize } from "../../../cache.ts";
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
}

/** The rows that this process appended lately to a database. */
export const recentOf = weakMemoize((_db: Database): Recent => {
  const rows = createCache<Kept>({ name: "observations", sizeOf: ({ size }) => size, ttl: FRESH_MS });
  const keyOf = ({ part, batch_id, received_at }: BatchKey) => part + batch_id + received_at;
  return {
    get(batch) {
      const row = rows.peek(keyOf(batch));
      if (row) row.isRead = true;
      return row?.observations;
    },
    // A fold takes the oldest first. Those that were read make room; while the oldest still waits, the newest is left out.
    set(row) {
      const { observations, body } = row;
      const size = OBSERVATION_BYTES * observations.length + body.length;
      const [oldest] = rows.rvalues();
      if (oldest && !oldest.isRead && rows.calculatedSize + size > rows.maxSize) return;
      rows.set(keyOf(row), { observations, size, isRead: false });
    },
  };
});

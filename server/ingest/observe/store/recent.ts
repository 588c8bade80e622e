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

/** The rows that this process appended lately to a database. */
export const recentOf = weakMemoize((_db: Database): Recent => {
  const rows = createCache<{ observations: readonly Observation[]; size: number }>({
    name: "observations",
    sizeOf: ({ size }) => size,
    ttl: FRESH_MS,
  });
  const keyOf = ({ part, batch_id, received_at }: BatchKey) => part + batch_id + received_at;
  return {
    // A fold takes the oldest first: those that were read are the first to go, not those that still wait.
    get: (batch) => rows.peek(keyOf(batch))?.observations,
    set(row) {
      const { observations, body } = row;
      rows.set(keyOf(row), { observations, size: OBSERVATION_BYTES * observations.length + body.length });
    },
  };
});

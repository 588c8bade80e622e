import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** What upkeep looks for among sessions is found by indexes that no usual session stands in, or from where the last look ended. */
export const upkeepPositions: Migration = {
  id: "0042-upkeep-positions",
  statements: [
    // How far looks at all sessions of an organization came, by the look's name.
    "alter table recorded_rollup add column if not exists positions jsonb not null default '{}'",
    // Sessions that are older than their totals, or than their end. A new one has counts, and none of events.
    ...builtConcurrently(
      "recorded_session_unmeasured",
      "recorded_session (organization_id, session_id) where events is null or (events > 0 and ended_at is null)",
    ),
    // Sessions that began after they were received, by the clock of who sent them.
    ...builtConcurrently(
      "recorded_session_ahead",
      "recorded_session (organization_id, timestamp, session_id) where timestamp - received_at > interval '1 hour'",
    ),
  ],
};

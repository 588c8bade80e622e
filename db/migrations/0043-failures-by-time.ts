import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** What failed in a session is found by when it did. The index takes the place of one without the time, and holds failures alone as that did. */
export const failuresByTime: Migration = {
  id: "0043-failures-by-time",
  statements: [
    ...builtConcurrently(
      "recorded_event_failed",
      "recorded_event (organization_id, session_id, timestamp) where not success",
    ),
    "drop index concurrently if exists recorded_event_failure",
  ],
};

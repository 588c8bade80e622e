import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** As the reads write it: an index with another condition would not be used. */
const TURN_OR_CALL = `(coalesce(kind, case when primitive_type is not distinct from 'tool' or parent_id is not null
    then 'tool' else 'turn' end))`;

/** Indexes for orders of issues, for what some of them have, and for sessions by agent and events by parent. */
export const reads: Migration = {
  id: "0023-reads",
  statements: [
    ...builtConcurrently("issue_priority", `issue ("organizationId", priority, id)`),
    ...builtConcurrently("issue_title", `issue ("organizationId", title, id)`),
    ...builtConcurrently("issue_state", `issue ("organizationId", "stateId", id)`),
    ...builtConcurrently("issue_due", `issue ("organizationId", "dueDate", id) where "dueDate" is not null`),
    // Without it PostgreSQL takes turns for rare, and reads all of an agent's for the newest few.
    `create statistics if not exists recorded_event_turn on ${TURN_OR_CALL} from recorded_event`,
    ...builtConcurrently(
      "recorded_event_agent",
      `recorded_event (organization_id, primitive_name, session_id) where ${TURN_OR_CALL} = 'turn'`,
    ),
    ...builtConcurrently(
      "recorded_event_parent",
      "recorded_event (organization_id, session_id, parent_id) where parent_id is not null",
    ),
    "analyze recorded_event",
  ],
};

import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** Each held the moment of the last update, so that every update wrote to all of them. */
const UPDATED = ["teamid_updated", "stateid_updated"].concat(
  ["assigneeid", "creatorid", "parentid", "projectid", "cycleid"].map((by) => `${by}_updated_set`),
);

/**
 * Lists of issues in the order of their last update are read from the index of all: those of each link are gone, as is
 * that of states by id. People by trait and sessions by metadata are found by an index of what is in there.
 */
export const updates: Migration = {
  id: "0030-updates",
  statements: [
    // What was not updated since a moment is looked for among what was created before it.
    `update issue set "updatedAt" = "createdAt" where "updatedAt" < "createdAt"`,
    ...[...UPDATED, "state"].map((name) => `drop index concurrently if exists issue_${name}`),
    // Room for a new version of a row beside the old one.
    "alter table issue set (fillfactor = 90)",
    ...builtConcurrently(
      "recorded_user_traits",
      "recorded_user using gin (organization_id, traits jsonb_path_ops) with (gin_pending_list_limit = 256)",
    ),
    ...builtConcurrently(
      "recorded_session_metadata",
      "recorded_session using gin (organization_id, metadata jsonb_path_ops) with (gin_pending_list_limit = 256)",
    ),
  ],
};

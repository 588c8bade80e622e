import type { Migration } from "./index.ts";

/** What every list of what belongs to teams looks for: the few teams that are in the trash. */
export const trashedTeams: Migration = {
  id: "0012-trashed-teams",
  statements: [
    `create index if not exists team_trashed on team ("organizationId", "archivedAt", id) where "archivedAt" is not null`,
  ],
};

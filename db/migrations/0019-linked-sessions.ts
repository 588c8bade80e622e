import type { Migration } from "./index.ts";

/** What a team counts as ready, sessions that are linked to issues, and the history of an issue. */
export const linkedSessions: Migration = {
  id: "0019-linked-sessions",
  statements: [
    `alter table team
      add column if not exists "readyStateTypes" text[] not null default '{triage,backlog,unstarted}'`,
    // Issues of a team in the trash no longer count as blockers.
    `update issue i set "openBlockers" = i."openBlockers" - gone.count from (
        select r."organizationId", r."relatedIssueId" as id, count(*) as count from "issueRelation" r
        join issue o on o."organizationId" = r."organizationId" and o.id = r."issueId"
        join team t on t."organizationId" = o."organizationId" and t.id = o."teamId"
        where r.type = 'blocks' and o."stateType" not in ('completed', 'canceled', 'duplicate')
          and o."archivedAt" is null and o.trashed is not true and t."archivedAt" is not null
        group by 1, 2) gone
      where i."organizationId" = gone."organizationId" and i.id = gone.id`,
  ],
};

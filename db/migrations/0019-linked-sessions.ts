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
    // The history of an issue is what the change log has of it and of its relations.
    `create index if not exists change_issue on change ("organizationId", "entityId", "createdAt", "lastSyncId")
      where type = 'Issue'`,
    ...["issueId", "relatedIssueId"].map(
      (end) => `create index if not exists change_${end.toLowerCase()} on change ("organizationId", (data ->> '${end}'))
        where type = 'IssueRelation'`,
    ),
    // Sessions have no foreign keys, so that they are recorded fast: links go with them by declaration.
    `create table if not exists "issueSession" (
      "organizationId" uuid not null references organization (id), id uuid not null default gen_random_uuid(),
      "issueId" uuid not null, "sessionId" uuid not null,
      claimed boolean not null default false, filed boolean not null default false,
      mentioned boolean not null default false, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", "sessionId"),
      foreign key ("organizationId", "issueId") references issue ("organizationId", id) on delete cascade
    )`,
    `create index if not exists issue_session_issue on "issueSession" ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists issue_session_session on "issueSession" ("organizationId", "sessionId", "createdAt", id)`,
    // Links to sessions of which nothing was recorded yet.
    `create table if not exists "awaitedSession" (
      "organizationId" uuid not null references organization (id), "issueId" uuid not null, reference text not null,
      kind text not null, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", reference, kind),
      foreign key ("organizationId", "issueId") references issue ("organizationId", id) on delete cascade
    )`,
    `insert into "awaitedSession" ("organizationId", "issueId", reference, kind)
      select "organizationId", id, "sessionId", 'claimed' from "issueLease" where "sessionId" is not null
      on conflict do nothing`,
    // Up to when the events of a session were looked through for identifiers of issues, and how many it had been rolled up to.
    `create table if not exists recorded_scan (
      organization_id uuid not null, session_id uuid not null, scanned_at timestamptz(3) not null, events bigint,
      primary key (organization_id, session_id)
    )`,
  ],
};

import type { Migration } from "./index.ts";

const READY = `"stateType" in ('backlog', 'unstarted', 'triage') and "archivedAt" is null and trashed is not true
  and "openBlockers" = 0 and not leased`;
const BEST_FIRST = `(coalesce(nullif(priority, 0), 5)), unblocks desc, "createdAt", id`;

/** What many agents need to work from one tracker: relations between issues, what is ready, leases, and the agents. */
export const work: Migration = {
  id: "0016-work",
  statements: [
    `alter table "user"
      add column if not exists app boolean not null default false,
      add column if not exists "onBehalfOfId" uuid`,
    // Kept beside the issue, so that what is ready is an index and not a walk over relations.
    `alter table issue
      add column if not exists "delegateId" uuid,
      add column if not exists "stateType" text not null default 'backlog',
      add column if not exists "openBlockers" integer not null default 0,
      add column if not exists unblocks integer not null default 0,
      add column if not exists leased boolean not null default false,
      add column if not exists fence integer not null default 0`,
    `update issue i set "stateType" = s.type from "workflowState" s
      where s."organizationId" = i."organizationId" and s.id = i."stateId" and i."stateType" <> s.type`,
    `do $$ begin
      alter table issue add foreign key ("organizationId", "delegateId") references "user" ("organizationId", id);
    exception when duplicate_object then null;
    end $$`,
    `create index if not exists issue_delegate on issue ("organizationId", "delegateId", "createdAt", id)
      where "delegateId" is not null`,
    `create table if not exists "issueRelation" (
      "organizationId" uuid not null references organization (id), id uuid not null, type text not null,
      "issueId" uuid not null, "relatedIssueId" uuid not null,
      "createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3),
      primary key ("organizationId", id),
      foreign key ("organizationId", "issueId") references issue ("organizationId", id),
      foreign key ("organizationId", "relatedIssueId") references issue ("organizationId", id),
      constraint issue_relation_type_key unique ("organizationId", "issueId", "relatedIssueId", type)
    )`,
    ...["", "issueId", "relatedIssueId"].map(
      (parent) => `create index if not exists issue_relation_${parent.toLowerCase() || "all"}
        on "issueRelation" ("organizationId", ${parent && `"${parent}", `}"createdAt", id)`,
    ),
    // Who works on an issue, and until when. The id is the issue's: it has one lease or none.
    `create table if not exists "issueLease" (
      "organizationId" uuid not null references organization (id), id uuid not null, fence integer not null,
      "holderId" uuid not null, "sessionId" text, "ttlSeconds" integer not null,
      "grantedAt" timestamptz(3) not null, "renewedAt" timestamptz(3) not null, "expiresAt" timestamptz(3) not null,
      "checkAt" timestamptz(3) not null, "stateId" uuid not null, "formerId" uuid,
      primary key ("organizationId", id),
      foreign key ("organizationId", id) references issue ("organizationId", id),
      foreign key ("organizationId", "holderId") references "user" ("organizationId", id)
    )`,
    `create index if not exists issue_lease_holder on "issueLease" ("organizationId", "holderId", id)`,
    // What the upkeep looks for, across organizations.
    `create index if not exists issue_lease_check on "issueLease" ("checkAt")`,
    `create index if not exists issue_ready on issue ("organizationId", ${BEST_FIRST}) where ${READY}`,
    `create index if not exists issue_ready_team on issue ("organizationId", "teamId", ${BEST_FIRST}) where ${READY}`,
    // A session by the id its agent gave it.
    `alter table recorded_session add column if not exists external_id text`,
    `create index if not exists recorded_session_external on recorded_session (organization_id, external_id)
      where external_id is not null`,
  ],
};

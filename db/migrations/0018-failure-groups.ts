import type { Migration } from "./index.ts";

/** Failures that say the same, counted by the hour and session, and the issue about each. */
export const failureGroups: Migration = {
  id: "0018-failure-groups",
  statements: [
    // What failed and what it says. Its sums follow those of recorded_failure, by a job; stale: they are behind.
    `create table if not exists recorded_failure_group (
      organization_id uuid not null,
      group_id uuid not null,
      tool text not null,
      message text not null,
      failures bigint not null,
      sessions bigint not null,
      users bigint not null,
      first_at timestamptz(3) not null,
      last_at timestamptz(3) not null,
      event_id uuid not null,
      session_id uuid not null,
      stale boolean not null,
      primary key (organization_id, group_id)
    )`,
    `create index if not exists recorded_failure_group_last on recorded_failure_group (organization_id, last_at, group_id)`,
    `create index if not exists recorded_failure_group_tool
      on recorded_failure_group (organization_id, tool, last_at, group_id)`,
    `create index if not exists recorded_failure_group_stale on recorded_failure_group (organization_id, group_id) where stale`,
    `create table if not exists recorded_failure (
      organization_id uuid not null,
      group_id uuid not null,
      hour timestamptz(3) not null,
      session_id uuid not null,
      failures integer not null,
      first_at timestamptz(3) not null,
      last_at timestamptz(3) not null,
      event_id uuid not null,
      primary key (organization_id, group_id, hour, session_id)
    )`,
    `create index if not exists recorded_failure_hour on recorded_failure (organization_id, hour)`,
    // A table of the tracker's, since it goes with the issue: one issue a group at most.
    `create table if not exists "failureIssue" (
      "organizationId" uuid not null references organization (id),
      "groupId" uuid not null,
      "issueId" uuid not null,
      primary key ("organizationId", "groupId"),
      foreign key ("organizationId", "issueId") references issue ("organizationId", id)
    )`,
    `create index if not exists failure_issue_issue on "failureIssue" ("organizationId", "issueId")`,
  ],
};

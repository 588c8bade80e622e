import { link, type Migration } from "./columns.ts";

/**
 * Values that are derived of events: calls of tools and failures, counted by the hour and by the day, and actions.
 * Jobs count; readers read the events of uncounted hours.
 */
export const analytics: Migration = {
  id: "0106-analytics",
  statements: [
    // Reads over several ranges of time look dear to the planner and are not: compiling them takes ten times as long as
    // running them. A database's own setting reaches every connection, through a pooler too; who may not set it goes without.
    `do $$ begin
      execute format('alter database %I set jit = off', current_database());
    exception when others then null;
    end $$`,
    // An hour of which something was stored or taken away since it was counted. It commits with that, so a count whose
    // hour has no mark is right.
    `create table if not exists recorded_mark (
      organization_id uuid not null,
      hour timestamptz(3) not null,
      mark_id uuid not null,
      primary key (organization_id, hour, mark_id)
    )`,
    // The progress of counting in an organization. version: rises with each count. counted: all that was there has been
    // counted once, so few hours are marked. positions: the position of each walk of upkeep, by its name.
    `create table if not exists recorded_rollup (
      organization_id uuid not null primary key,
      version bigint not null default 0,
      counted boolean not null default false,
      positions jsonb not null default '{}'
    )`,
    // Calls by how long they took: the buckets that have any, and their counts in the same order; −1 is of no duration.
    // sessions: a hash of each, of many the least.
    `create table if not exists recorded_tool_hour (
      organization_id uuid not null,
      tool text not null,
      hour timestamptz(3) not null,
      calls bigint not null,
      failures bigint not null,
      buckets smallint[] not null,
      bucket_calls integer[] not null,
      bucket_failures integer[] not null,
      sessions integer[] not null,
      primary key (organization_id, tool, hour)
    )`,
    `create index if not exists recorded_tool_hour_time on recorded_tool_hour (organization_id, hour)`,
    // The same for the whole days, with calls and failures of each of their 24 hours beside.
    `create table if not exists recorded_tool_day (
      organization_id uuid not null,
      day timestamptz(3) not null,
      tool text not null,
      calls bigint not null,
      failures bigint not null,
      buckets smallint[] not null,
      bucket_calls integer[] not null,
      bucket_failures integer[] not null,
      hour_calls integer[] not null,
      hour_failures integer[] not null,
      primary key (organization_id, day, tool)
    )`,
    // Sums of events by the values of one kind, such as model or user; cost in billionths of a dollar. sessions: as above.
    ...["hour", "day"].map(
      (unit) => `create table if not exists recorded_usage_${unit} (
      organization_id uuid not null,
      ${unit} timestamptz(3) not null,
      kind text not null,
      name text not null,
      events bigint not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      cost bigint not null,
      reported_costs bigint not null,
      computed_costs bigint not null,
      missing_costs bigint not null,
      sessions integer[] not null,
      ${unit === "day" ? "session_count integer not null," : ""}
      primary key (organization_id, kind, ${unit}, name)
    )`,
    ),
    `create index if not exists recorded_usage_hour_time on recorded_usage_hour (organization_id, hour)`,
    `create index if not exists recorded_usage_day_time on recorded_usage_day (organization_id, day)`,
    // Failures that say the same. The sums follow those of recorded_failure, by a job; stale: they are behind. back_at: when
    // it last began again after a quiet time. days: the newest days with failures, as [day, count]. agents: of its newest sessions.
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
      back_at timestamptz(3),
      days jsonb not null default '[]',
      agents jsonb not null default '[]',
      stale boolean not null,
      primary key (organization_id, group_id)
    )`,
    `create index if not exists recorded_failure_group_last on recorded_failure_group (organization_id, last_at, group_id)`,
    `create index if not exists recorded_failure_group_tool
      on recorded_failure_group (organization_id, tool, last_at, group_id)`,
    `create index if not exists recorded_failure_group_first on recorded_failure_group (organization_id, first_at)`,
    `create index if not exists recorded_failure_group_back
      on recorded_failure_group (organization_id, back_at) where back_at is not null`,
    `create index if not exists recorded_failure_group_stale on recorded_failure_group (organization_id, group_id) where stale`,
    // The failures of a group, counted by the hour and session.
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
    // A table of the tracker's, since it goes with the issue: one issue a group at most. reopenedAt: when it was opened again.
    `create table if not exists "failureIssue" (
      "organizationId" uuid not null references organization (id),
      "groupId" uuid not null,
      "issueId" uuid not null,
      "reopenedAt" timestamptz(3),
      primary key ("organizationId", "groupId"), ${link("issueId", "issue")}
    )`,
    `create index if not exists failure_issue_issue on "failureIssue" ("organizationId", "issueId")`,
    `create index if not exists failure_issue_reopened
      on "failureIssue" ("organizationId", "reopenedAt") where "reopenedAt" is not null`,
    // Groups that somebody ignores, until a moment, until there are so many failures, or for good. It outlives its group,
    // which may come back.
    `create table if not exists "failureIgnore" (
      "organizationId" uuid not null references organization (id),
      "groupId" uuid not null,
      "ignoredAt" timestamptz(3) not null,
      until timestamptz(3),
      "untilCount" bigint,
      primary key ("organizationId", "groupId")
    )`,
    // The actions of events, derived from them: changes of files, commands, commits, pushes, statements of a plan.
    // data: all of an action. place: the segments of its path from the last to the first, each with a slash behind it.
    `create table if not exists recorded_action (
      organization_id uuid not null,
      session_id uuid not null,
      event_id uuid not null,
      position integer not null,
      kind text not null,
      timestamp timestamptz(3) not null,
      path text,
      place text collate "C",
      sha text collate "C",
      added integer,
      removed integer,
      data jsonb not null,
      primary key (organization_id, session_id, event_id, position)
    )`,
    `create index if not exists recorded_action_session
      on recorded_action (organization_id, session_id, timestamp, event_id, position)`,
    `create index if not exists recorded_action_place
      on recorded_action (organization_id, place, timestamp) where place is not null`,
    `create index if not exists recorded_action_sha on recorded_action (organization_id, sha) where sha is not null`,
  ],
};

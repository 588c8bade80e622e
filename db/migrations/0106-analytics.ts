import { buildForeignKey, type Migration } from "./columns.ts";

/**
 * Values that are derived from events: tool calls and failures, counted per hour and per day, and actions. Jobs count.
 * For hours that are not yet counted, readers read the events.
 */
export const analytics: Migration = {
  id: "0106-analytics",
  statements: [
    // The planner overestimates the cost of reads over several ranges of time, and JIT compilation takes ten times as
    // long as the reads. The setting of the database also applies to connections through a pooler. A user without the
    // right to change the setting keeps the default.
    `do $$ begin
      execute format('alter database %I set jit = off', current_database());
    exception when others then null;
    end $$`,
    // An hour in which events were stored or removed since the last count. The mark is committed with the change: a
    // count without a mark for the same hour is correct.
    `create table if not exists recorded_mark (
      organization_id uuid not null,
      hour timestamptz(3) not null,
      mark_id uuid not null,
      primary key (organization_id, hour, mark_id)
    )`,
    // State of the counting in an organization. version: rises with each count. counted: everything was counted once,
    // so few hours have marks. positions: position of each maintenance job, by name.
    `create table if not exists recorded_rollup (
      organization_id uuid not null primary key,
      version bigint not null default 0,
      counted boolean not null default false,
      positions jsonb not null default '{}'
    )`,
    // Calls by duration: the buckets with calls, and their counts in the same order. Bucket −1 contains calls without a
    // duration. sessions: a hash of each session; for many sessions, only the smallest hashes.
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
    // The same for whole days, with calls and failures of each of the 24 hours.
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
    // Sums of events by the values of a kind, for example model or user. cost is in billionths of a dollar. sessions:
    // as above.
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
    // Failures with the same message. A job computes the sums from recorded_failure; stale: the sums are out of date.
    // back_at: last new failure after a quiet period. days: the newest days with failures, as [day, count]. agents: of
    // the newest sessions.
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
    // Failures of a group, counted per hour and session.
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
    // A table of the tracker, because its rows are deleted with the issue. A group has at most one issue. reopenedAt:
    // when the issue was reopened.
    `create table if not exists "failureIssue" (
      "organizationId" uuid not null references organization (id),
      "groupId" uuid not null,
      "issueId" uuid not null,
      "reopenedAt" timestamptz(3),
      primary key ("organizationId", "groupId"), ${buildForeignKey("issueId", "issue")}
    )`,
    `create index if not exists failure_issue_issue on "failureIssue" ("organizationId", "issueId")`,
    `create index if not exists failure_issue_reopened
      on "failureIssue" ("organizationId", "reopenedAt") where "reopenedAt" is not null`,
    // Groups that a user ignores: until a time, until a number of failures, or permanently. The row remains when the
    // failure group disappears, because the group may return.
    `create table if not exists "failureIgnore" (
      "organizationId" uuid not null references organization (id),
      "groupId" uuid not null,
      "ignoredAt" timestamptz(3) not null,
      until timestamptz(3),
      "untilCount" bigint,
      primary key ("organizationId", "groupId")
    )`,
    // Actions that are derived from events: changed files, commands, commits, pushes, steps of a plan. data: the
    // complete action. place: the segments of the path from last to first, each followed by a slash.
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

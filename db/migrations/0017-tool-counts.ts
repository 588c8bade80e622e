import type { Migration } from "./index.ts";

/**
 * Calls of tools, counted by the hour and by the day, so that how tools do is not read from their events. Events that
 * are there already are counted by a job, piece by piece; until then readers read them.
 */
export const toolCounts: Migration = {
  id: "0017-tool-counts",
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
    // How far an organization is counted: events before this moment are not. No row: none are.
    `create table if not exists recorded_rollup (
      organization_id uuid not null primary key,
      version bigint not null,
      uncounted_before timestamptz(3) not null
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
  ],
};

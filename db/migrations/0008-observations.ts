import type { Migration } from "./index.ts";

/**
 * What connectors of agents tell: one event from several observations, open turns, tokens and cost, and totals of a
 * session that are kept instead of counted. Columns are empty where they are new: no table is written anew.
 */
export const observations: Migration = {
  id: "0008-observations",
  statements: [
    // observed: what the event was made of. An event that came over capture-* has none, and no connector changes it.
    `alter table recorded_event
      add column if not exists kind text,
      add column if not exists open boolean,
      add column if not exists model text,
      add column if not exists input_tokens bigint,
      add column if not exists output_tokens bigint,
      add column if not exists cache_read_tokens bigint,
      add column if not exists cache_write_tokens bigint,
      add column if not exists cost numeric,
      add column if not exists error_message text,
      add column if not exists observed jsonb`,
    // Totals without the rows of recorded_delta; all of them null until a session that is older than they was counted.
    `alter table recorded_session
      add column if not exists external_id text,
      add column if not exists source text,
      add column if not exists observed jsonb,
      add column if not exists events bigint,
      add column if not exists failures bigint,
      add column if not exists tool_calls bigint,
      add column if not exists turns bigint,
      add column if not exists input_tokens bigint,
      add column if not exists output_tokens bigint,
      add column if not exists cache_read_tokens bigint,
      add column if not exists cache_write_tokens bigint,
      add column if not exists cost numeric,
      add column if not exists models jsonb`,
    // What a commit of capture-* added to a session. It commits with its events, so none is ever counted late.
    `create table if not exists recorded_delta (
      organization_id uuid not null,
      session_id uuid not null,
      delta_id uuid not null,
      events bigint not null,
      failures bigint not null,
      turns bigint not null,
      tool_calls bigint not null,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_write_tokens bigint,
      cost numeric,
      models jsonb,
      primary key (organization_id, session_id, delta_id)
    )`,
    // Events that have not ended. A table of its own: an index on recorded_event would hold up the start.
    `create table if not exists recorded_open (
      organization_id uuid not null,
      session_id uuid not null,
      event_id uuid not null,
      primary key (organization_id, session_id, event_id)
    )`,
    // Parts of an event that its agent gives no id: matched by name, input and time.
    `create table if not exists recorded_part (
      organization_id uuid not null,
      session_id uuid not null,
      group_id uuid not null,
      part_id uuid not null,
      role text not null,
      at bigint not null,
      facts jsonb not null,
      primary key (organization_id, session_id, group_id, part_id)
    )`,
    `create table if not exists recorded_trace (
      organization_id uuid not null,
      trace_id text not null,
      session_id uuid,
      turn_id uuid,
      received_at timestamptz(3) not null,
      primary key (organization_id, trace_id)
    )`,
    `create index if not exists recorded_trace_received on recorded_trace (organization_id, received_at)`,
    `create table if not exists recorded_span (
      organization_id uuid not null,
      trace_id text not null,
      span_id text not null,
      parent_span_id text,
      event_id uuid,
      above_id uuid,
      primary key (organization_id, trace_id, span_id)
    )`,
    // What a key leaves out of what its connectors tell.
    `alter table "ingestKey"
      add column if not exists "omitPrompts" boolean not null default false,
      add column if not exists "omitToolContents" boolean not null default false`,
  ],
};

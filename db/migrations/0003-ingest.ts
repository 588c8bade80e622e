import type { Migration } from "./index.ts";

/**
 * What agents did, as they sent it: snake_case like the ingest API, no foreign keys (they cost COPY up to twice its
 * time; the commit that writes an event makes its session), ids unique per organization.
 */
export const ingest: Migration = {
  id: "0003-ingest",
  statements: [
    `create table if not exists recorded_user (
      organization_id uuid not null,
      user_id text not null,
      traits jsonb not null constraint recorded_user_traits_size check (pg_column_size(traits) <= 131072),
      first_seen_at timestamptz(3) not null,
      sanitized integer not null default 0,
      primary key (organization_id, user_id)
    )`,
    `create index if not exists recorded_user_first_seen on recorded_user (organization_id, first_seen_at, user_id)`,
    // A stub, made for events that came before their session, has no user and is not registered.
    `create table if not exists recorded_session (
      organization_id uuid not null,
      session_id uuid not null,
      user_id text,
      metadata jsonb not null constraint recorded_session_metadata_size check (pg_column_size(metadata) <= 262144),
      client_config text,
      timestamp timestamptz(3) not null,
      timestamp_sent boolean not null,
      registered boolean not null,
      received_at timestamptz(3) not null,
      last_received_at timestamptz(3) not null,
      sanitized integer not null default 0,
      primary key (organization_id, session_id)
    )`,
    `create index if not exists recorded_session_started on recorded_session (organization_id, timestamp, session_id)`,
    `create index if not exists recorded_session_user
      on recorded_session (organization_id, user_id, timestamp, session_id) where user_id is not null`,
    // metadata is json, not jsonb: it is read seldom, and parsing it into jsonb costs on every event.
    `create table if not exists recorded_event (
      organization_id uuid not null,
      event_id uuid not null,
      session_id uuid not null,
      parent_id uuid,
      timestamp timestamptz(3) not null,
      received_at timestamptz(3) not null,
      latency bigint,
      sanitized integer not null default 0,
      timestamp_sent boolean not null,
      success boolean not null,
      primitive_name text not null,
      primitive_type text,
      args text not null,
      result text not null,
      metadata json,
      primary key (organization_id, event_id)
    )`,
    `create index if not exists recorded_event_session
      on recorded_event (organization_id, session_id, timestamp, event_id)`,
    `create index if not exists recorded_event_failure
      on recorded_event (organization_id, session_id) where not success`,
    `create index if not exists recorded_event_time on recorded_event (organization_id, timestamp)`,
    // lz4 halves PostgreSQL's work on rows of some KB; engines built without it keep their default.
    `do $$ begin
      alter table recorded_event alter column args set compression lz4, alter column result set compression lz4;
    exception when others then null;
    end $$`,
  ],
};

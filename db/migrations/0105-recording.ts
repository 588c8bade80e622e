import type { Migration } from "./index.ts";

/** The reads write it so: an index with another condition would not be used. */
const TURN_OR_CALL = `(coalesce(kind, case when primitive_type is not distinct from 'tool' or parent_id is not null
    then 'tool' else 'turn' end))`;

/** The sort of sessions writes these expressions, to the letter. */
const SORTED = {
  duration: `((extract(epoch from (coalesce(ended_at, "timestamp") - "timestamp")) * 1000)::float8)`,
  cost: "(coalesce(cost, 0)::float8)",
  failures: "(coalesce(failures, 0))",
};

/**
 * Sessions of agents and their events as they were sent: snake_case like the ingest API, no foreign keys (they cost COPY
 * up to twice its time; the commit that writes an event makes its session), ids unique per organization.
 */
export const recording: Migration = {
  id: "0105-recording",
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
    `create index if not exists recorded_user_traits
      on recorded_user using gin (organization_id, traits jsonb_path_ops) with (gin_pending_list_limit = 256)`,
    // A stub, made for events that came before their session, has no user and is not registered.
    // From events to ended_at: totals without the rows of recorded_delta. events is null until they are made after a restore.
    // unread_from: from when on events were not looked through for issues; infinity: the session itself alone; null: all were.
    // late_at: when the session last got an event that had happened long before; readers of new events look no further back unless it did.
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
      external_id text,
      source text,
      observed jsonb,
      events bigint,
      failures bigint,
      tool_calls bigint,
      turns bigint,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_write_tokens bigint,
      cost numeric,
      models jsonb,
      ended_at timestamptz(3),
      unread_from timestamptz(3),
      late_at timestamptz(3),
      primary key (organization_id, session_id)
    )`,
    `create index if not exists recorded_session_started on recorded_session (organization_id, timestamp, session_id)`,
    `create index if not exists recorded_session_user
      on recorded_session (organization_id, user_id, timestamp, session_id) where user_id is not null`,
    // A session by the id its agent gave it.
    `create index if not exists recorded_session_external on recorded_session (organization_id, external_id)
      where external_id is not null`,
    `create index if not exists recorded_session_metadata
      on recorded_session using gin (organization_id, metadata jsonb_path_ops) with (gin_pending_list_limit = 256)`,
    ...Object.entries(SORTED).map(
      ([name, expression]) => `create index if not exists recorded_session_${name}
        on recorded_session (organization_id, ${expression}, session_id)`,
    ),
    `create index if not exists recorded_session_unread
      on recorded_session (organization_id, unread_from, session_id) where unread_from is not null`,
    // Sessions whose totals are to be made: after a restore alone.
    `create index if not exists recorded_session_unmeasured on recorded_session (organization_id, session_id) where events is null`,
    // Sessions that began after they were received, by the clock of their sender.
    `create index if not exists recorded_session_ahead on recorded_session (organization_id, timestamp, session_id)
      where timestamp - received_at > interval '1 hour'`,
    // metadata is json, not jsonb: it is read seldom, and parsing it into jsonb costs on every event.
    // observed: the observations that the event was made of. An event that came over capture-* has none, and no connector changes it.
    // message: of a failed event, read from its result when it was received.
    // redacted: the number of secrets that were taken out of its texts, by kind; null for none.
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
      kind text,
      open boolean,
      model text,
      input_tokens bigint,
      output_tokens bigint,
      cache_read_tokens bigint,
      cache_write_tokens bigint,
      cost numeric,
      observed jsonb,
      message text,
      redacted json,
      primary key (organization_id, event_id)
    )`,
    // lz4 halves PostgreSQL's work on rows of some KB; engines built without it keep their default.
    `do $$ begin
      alter table recorded_event alter column args set compression lz4, alter column result set compression lz4;
    exception when others then null;
    end $$`,
    `create index if not exists recorded_event_session
      on recorded_event (organization_id, session_id, timestamp, event_id)`,
    `create index if not exists recorded_event_time on recorded_event (organization_id, timestamp)`,
    `create index if not exists recorded_event_failed
      on recorded_event (organization_id, session_id, timestamp) where not success`,
    `create index if not exists recorded_event_parent
      on recorded_event (organization_id, session_id, parent_id) where parent_id is not null`,
    `create index if not exists recorded_event_agent
      on recorded_event (organization_id, primitive_name, session_id) where ${TURN_OR_CALL} = 'turn'`,
    // Without it PostgreSQL takes turns for rare, and reads all of an agent's for its newest rows.
    `create statistics if not exists recorded_event_turn on ${TURN_OR_CALL} from recorded_event`,
    // The additions of a commit of capture-* to a session. They commit with their events, so none is ever counted late.
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
      ended_at timestamptz(3),
      began_at timestamptz(3),
      primary key (organization_id, session_id, delta_id)
    )`,
    // Events that have not ended.
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
  ],
};

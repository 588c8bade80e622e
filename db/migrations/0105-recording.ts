import type { Migration } from "./columns.ts";

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
    // reported_costs, computed_costs, missing_costs: events of which a cost was reported, computed, or cannot be.
    // unread_from: from when on events were not read for issues and actions; infinity: the session itself alone; null: all were.
    // hold_reason: why an owner keeps it, however old it is. texts_removed_at: when retention last emptied its texts.
    // state, state_since: by its reports; readers add the clock. waits_for, waits_event: its question, and the call. loop_: calls that repeat each other.
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
      external_id text, source text,
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
      reported_costs bigint,
      computed_costs bigint,
      missing_costs bigint,
      models jsonb,
      ended_at timestamptz(3),
      unread_from timestamptz(3),
      late_at timestamptz(3),
      state text not null default 'idle', state_since timestamptz(3), waits_for text, waits_event uuid,
      loop_since timestamptz(3), loop_event uuid,
      hold_reason text, held_by uuid, held_at timestamptz(3),
      texts_removed_at timestamptz(3),
      primary key (organization_id, session_id)
    )`,
    `create index if not exists recorded_session_started on recorded_session (organization_id, timestamp, session_id)`,
    `create index if not exists recorded_session_user
      on recorded_session (organization_id, user_id, timestamp, session_id) where user_id is not null`,
    `create index if not exists recorded_session_state on recorded_session (organization_id, state, timestamp, session_id)`,
    `create index if not exists recorded_session_loop on recorded_session (organization_id, loop_since) where loop_since is not null`,
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
    // part: of the observations that the event was made of; digest: of its row. An event that came over capture-* has neither, and no connector changes it.
    // computed_cost: by the prices of its time, where the agent reported tokens and no cost.
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
      computed_cost numeric,
      part uuid,
      digest text,
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
    `create index if not exists recorded_event_part on recorded_event (organization_id, part) where part is not null`,
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
      reported_costs bigint,
      computed_costs bigint,
      missing_costs bigint,
      models jsonb,
      ended_at timestamptz(3),
      began_at timestamptz(3),
      primary key (organization_id, session_id, delta_id)
    )`,
    // Events that have not ended. due_at: when one changes though nothing comes.
    `create table if not exists recorded_open (
      organization_id uuid not null,
      session_id uuid not null,
      event_id uuid not null,
      part uuid,
      due_at timestamptz(3),
      primary key (organization_id, session_id, event_id)
    )`,
    // Reports of hooks and telemetry as they came, from which events are made: body is a list of those that one commit
    // brought of a part and a session, batch_id a hash of it.
    // A part is a turn, a trace, or a call without either: what can influence one another.
    `create table if not exists recorded_observation (
      organization_id uuid not null,
      part uuid not null,
      batch_id uuid not null,
      session_id uuid,
      received_at timestamptz(3) not null,
      key_name text not null,
      body json not null,
      primary key (organization_id, part, batch_id)
    )`,
    `do $$ begin
      alter table recorded_observation alter column body set compression lz4;
    exception when others then null;
    end $$`,
    `create index if not exists recorded_observation_session
      on recorded_observation (organization_id, session_id) where session_id is not null`,
    // Services that send spans of which no convention knows one. hour_spans: those of the hour.
    `create table if not exists recorded_service (
      organization_id uuid not null,
      service text not null,
      example text not null,
      spans bigint not null,
      hour timestamptz(3) not null,
      hour_spans bigint not null,
      first_seen_at timestamptz(3) not null,
      last_seen_at timestamptz(3) not null,
      primary key (organization_id, service)
    )`,
    `create index if not exists recorded_service_first_seen on recorded_service (organization_id, first_seen_at, service)`,
    // Parts of which a commit appended observations that are not folded yet.
    `create table if not exists recorded_unfolded (
      organization_id uuid not null,
      commit_id uuid not null,
      part uuid not null,
      received_at timestamptz(3) not null,
      observations integer not null,
      primary key (organization_id, commit_id, part)
    )`,
    // Parts that were folded. component: the least of those that influence one another. What came until sealed_at is settled.
    `create table if not exists recorded_part (
      organization_id uuid not null,
      part uuid not null,
      component uuid not null,
      sealed_at timestamptz(3),
      received_at timestamptz(3) not null,
      primary key (organization_id, part)
    )`,
    // A keyed hash of each session, trace and user that was deleted: what arrives late for one is refused.
    `create table if not exists recorded_tombstone (
      organization_id uuid not null,
      hash bytea not null,
      deleted_at timestamptz(3) not null,
      primary key (organization_id, hash)
    )`,
    // Deletions under way: a session of which rows are left, or a user of whom sessions are. by_id: the member who asked.
    `create table if not exists recorded_deletion (
      organization_id uuid not null,
      deletion_id uuid not null default gen_random_uuid(),
      session_id uuid,
      user_id text,
      by_id uuid,
      deleted_at timestamptz(3) not null,
      primary key (organization_id, deletion_id)
    )`,
    `create index if not exists recorded_part_component on recorded_part (organization_id, component)`,
    `create index if not exists recorded_part_received on recorded_part (organization_id, received_at)`,
  ],
};

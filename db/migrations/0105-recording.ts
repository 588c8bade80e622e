import type { Migration } from "./columns.ts";

/**
 * Statements that read events contain exactly the expression `TURN_OR_CALL`. PostgreSQL would not use an index with a
 * different expression.
 */
const TURN_OR_CALL = `(coalesce(kind, case when primitive_type is not distinct from 'tool' or parent_id is not null
    then 'tool' else 'turn' end))`;

/** Statements that sort sessions contain exactly the expressions in `SORTED`. */
const SORTED = {
  duration: `((extract(epoch from (coalesce(ended_at, "timestamp") - "timestamp")) * 1000)::float8)`,
  cost: "(coalesce(cost, 0)::float8)",
  failures: "(coalesce(failures, 0))",
};

/**
 * Recorded sessions and events as received. Columns are in snake_case like the ingest API. Foreign keys are missing,
 * because they double the time of COPY; the commit of an event creates the session. Ids are unique per organization.
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
    // A stub is created for events that arrive before their session; a stub has no user and is not registered. events
    // to ended_at: totals without the rows of recorded_delta; events is null after a restore, until totals are
    // computed. reported_costs, computed_costs, missing_costs: numbers of events by cost (reported, computed,
    // impossible to compute). unread_from: start of the events not yet searched for issues and actions (infinity: only
    // the session row). hold_reason: why an owner keeps the session. texts_removed_at: when retention last removed
    // content. state: from reports; readers add the effect of time. waits_for, waits_event: the session's question, and
    // its tool call. loop_: repeated equal calls. late_at: when the session last received an event from long before.
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
    // Finds a session by the id that the agent uses.
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
    // Sessions without totals; exist only after a restore.
    `create index if not exists recorded_session_unmeasured on recorded_session (organization_id, session_id) where events is null`,
    // Sessions that began after their receipt, according to the sender's clock.
    `create index if not exists recorded_session_ahead on recorded_session (organization_id, timestamp, session_id)
      where timestamp - received_at > interval '1 hour'`,
    // metadata is json: reads are rare, and parsing to jsonb would cost time for every event. part: of the observations
    // of the event. digest: of the event's row. Events from capture-* have neither, and no connector changes them.
    // computed_cost: from the prices of that day, if the agent reported tokens but no cost. message: error message of a
    // failed event. redacted: number of redacted secrets by kind; null if there are none.
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
    // lz4 halves PostgreSQL's work on rows of several KB. Engines without lz4 keep their default compression.
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
    // Without these statistics, PostgreSQL assumes that turns are rare, and reads all rows of an agent.
    `create statistics if not exists recorded_event_turn on ${TURN_OR_CALL} from recorded_event`,
    // The additions of a capture-* commit to a session's totals. The same commit stores the events.
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
    // Events that have not ended. due_at: when the event changes even if no report arrives.
    `create table if not exists recorded_open (
      organization_id uuid not null,
      session_id uuid not null,
      event_id uuid not null,
      part uuid,
      due_at timestamptz(3),
      primary key (organization_id, session_id, event_id)
    )`,
    // Observations as received, from which events are built. body: list of the observations of one commit for a part
    // and a session. batch_id: hash of the body. A part is a turn, a trace, or a call without either, and contains all
    // observations that can influence each other.
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
    // Services that send spans of which no convention recognizes any. hour_spans: spans of the current hour.
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
    // Parts to which a commit appended observations that are not yet folded.
    `create table if not exists recorded_unfolded (
      organization_id uuid not null,
      commit_id uuid not null,
      part uuid not null,
      received_at timestamptz(3) not null,
      observations integer not null,
      primary key (organization_id, commit_id, part)
    )`,
    // Parts that were folded. component: the smallest of the related parts. Observations up to sealed_at are final.
    `create table if not exists recorded_part (
      organization_id uuid not null,
      part uuid not null,
      component uuid not null,
      sealed_at timestamptz(3),
      received_at timestamptz(3) not null,
      primary key (organization_id, part)
    )`,
    // Keyed hashes of deleted sessions, traces and users. The server rejects late reports about deleted sessions,
    // traces and users.
    `create table if not exists recorded_tombstone (
      organization_id uuid not null,
      hash bytea not null,
      deleted_at timestamptz(3) not null,
      primary key (organization_id, hash)
    )`,
    // Running deletions: sessions with remaining rows, users with remaining sessions. by_id: who requested the
    // deletion.
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

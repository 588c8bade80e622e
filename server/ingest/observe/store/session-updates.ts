import { markSessions } from "../../../resources/recorded/analytics/index.ts";
import { members } from "../fold/merge.ts";
import type { Progress } from "../fold/progress.ts";
import { type StateOfSession, stateOf } from "../fold/state.ts";
import { addModels, costText, type Totals } from "../fold/totals.ts";
import type { StoredObservation } from "./observation-rows.ts";
import type { Packet } from "./packet.ts";
import type { NamedSession, SessionRow, SessionState } from "./session-rows.ts";
import { type Arrival, writeUsers } from "./user-rows.ts";

/** The changes of a session that a fold brings. */
export interface SessionUpdate {
  named: NamedSession;
  progress: Progress;
  totals: Totals;
  /** The beginning of the earliest of its events that may name issues, epoch ms. */
  unread: number | undefined;
  /** True when an event that is long over was reported. */
  late: boolean;
  /** In order of their arrival. */
  observations: readonly StoredObservation[];
}

interface Change
  extends Omit<Totals, "models" | "cost">,
    Pick<SessionRow, "session_id" | "user_id" | "metadata" | "timestamp" | "external_id"> {
  source: string;
  observed: SessionState;
  models: Record<string, number>;
  unread: string;
  late: boolean;
  state: StateOfSession;
  /** When something of it was received last, epoch ms. */
  received: number;
  cost: string;
}

/** Writes the changes of sessions, and adds to their totals. Metadata and traits are merged where they `mayGrow`. */
export function writeSessions(
  packet: Packet,
  arrival: Arrival,
  sessions: ReadonlyMap<string, SessionRow>,
  updates: readonly SessionUpdate[],
  mayGrow: boolean,
): void {
  const changes = updates.flatMap((each) => {
    const row = sessions.get(each.named.session_id);
    if (!row) return [];
    const change = changeOf(row, each);
    return [mayGrow ? change : { ...change, metadata: row.metadata }];
  });
  writeUsers(
    packet,
    arrival,
    changes,
    mayGrow ? updates.flatMap(({ observations }) => observations.map(({ observation }) => observation)) : [],
  );
  const recounted = changes.filter((change) => isCountedOtherwise(sessions.get(change.session_id), change));
  packet.push(
    ...markSessions(
      arrival.organizationId,
      recounted.map(({ session_id }) => session_id),
    ),
  );
  packet.push({
    name: "observe-session-updates",
    text: UPDATE,
    values: [arrival.organizationId, JSON.stringify(changes), arrival.now],
  });
}

/** Reports whether the events of a session are counted by another person, agent or repository than before. */
function isCountedOtherwise(row: SessionRow | undefined, next: Change): boolean {
  if (!row || row.isNew) return false;
  const isSame = (name: string) => row.metadata[name] === next.metadata[name];
  return row.user_id !== next.user_id || row.source !== next.source || !isSame("repository") || !isSame("cwd");
}

function changeOf(row: SessionRow, { named, progress, totals, unread, late, observations }: SessionUpdate): Change {
  const userId = observations.flatMap(({ observation }) => observation.user?.id ?? []).sort()[0];
  const keyName = observations[0]?.keyName ?? null;
  const owned = row.registered && row.observed === null;
  const user = owned
    ? row.user_id
    : row.observed?.isUserTold
      ? least(row.user_id, userId)
      : (userId ?? row.user_id ?? keyName);
  const metadata = observations
    .flatMap(({ observation: { sessionMetadata } }) => (sessionMetadata ? [sessionMetadata] : []))
    .reduce((all, each) => members(all, each), row.metadata);
  const isUserTold = row.observed?.isUserTold || userId !== undefined;
  return {
    ...totals,
    session_id: row.session_id,
    user_id: user,
    metadata,
    timestamp: row.timestamp_sent ? row.timestamp : Math.min(row.timestamp, named.timestamp),
    external_id: row.external_id ?? named.external_id,
    source: row.source === null ? named.source : (least(row.source, named.source) ?? named.source),
    observed: { progress, ...(isUserTold && { isUserTold: true }) },
    models: addModels(row.models ?? {}, totals.models),
    late,
    state: stateOf(progress),
    received: observations.reduce((latest, { receivedAt }) => Math.max(latest, receivedAt), row.last_received_at),
    unread: unread === undefined ? "infinity" : new Date(unread).toISOString(),
    cost: costText(totals),
  };
}

const least = (a: string | null, b: string | undefined): string | null =>
  a === null ? (b ?? null) : b !== undefined && b < a ? b : a;

/**
 * Raw SQL: sessions travel as one JSON list. All of them are there and locked: as an insert, each is found by its key,
 * whatever plan was made while the table was small. Where totals are not kept yet, they stay unknown.
 */
const UPDATE = `insert into recorded_session as s (organization_id, session_id, user_id, registered, metadata,
    timestamp, timestamp_sent, received_at, last_received_at, external_id, source, observed, events, failures, turns, tool_calls,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, reported_costs, computed_costs, missing_costs, models, ended_at, unread_from, late_at,
    state, state_since, waits_for, waits_event)
  select $1, n.session_id, n.user_id, n.user_id is not null, n.metadata, to_timestamp(n.timestamp / 1000), false,
    to_timestamp(n.received / 1000), to_timestamp(n.received / 1000), n.external_id, n.source, n.observed, n.events, n.failures,
    n.turns, n."toolCalls", n."inputTokens", n."outputTokens", n."cacheReadTokens", n."cacheWriteTokens", n.cost, n."reportedCosts", n."computedCosts", n."missingCosts", n.models,
    to_timestamp(nullif(n."endedAt", 0) / 1000), n.unread, case when n.late then to_timestamp($3::float8 / 1000) end,
    n.state ->> 'state', to_timestamp((n.state ->> 'since')::float8 / 1000), n.state ->> 'waitsFor', (n.state ->> 'waitsEvent')::uuid
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, user_id text, metadata jsonb, timestamp float8, external_id text,
    source text, observed jsonb, models jsonb, cost numeric, unread timestamptz, late boolean, state jsonb, received float8, events bigint, failures bigint, turns bigint, "toolCalls" bigint,
    "inputTokens" bigint, "outputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint, "reportedCosts" bigint, "computedCosts" bigint, "missingCosts" bigint, "endedAt" float8)
  on conflict (organization_id, session_id) do update set
    user_id = excluded.user_id, registered = excluded.registered, metadata = excluded.metadata, timestamp = excluded.timestamp,
    external_id = excluded.external_id, source = excluded.source, observed = excluded.observed, models = excluded.models,
    last_received_at = greatest(s.last_received_at, excluded.last_received_at),
    events = s.events + excluded.events, failures = s.failures + excluded.failures,
    turns = s.turns + excluded.turns, tool_calls = s.tool_calls + excluded.tool_calls,
    input_tokens = coalesce(s.input_tokens, 0) + excluded.input_tokens,
    output_tokens = coalesce(s.output_tokens, 0) + excluded.output_tokens,
    cache_read_tokens = coalesce(s.cache_read_tokens, 0) + excluded.cache_read_tokens,
    cache_write_tokens = coalesce(s.cache_write_tokens, 0) + excluded.cache_write_tokens,
    cost = coalesce(s.cost, 0) + excluded.cost, reported_costs = coalesce(s.reported_costs, 0) + excluded.reported_costs,
    computed_costs = coalesce(s.computed_costs, 0) + excluded.computed_costs,
    missing_costs = coalesce(s.missing_costs, 0) + excluded.missing_costs, ended_at = greatest(s.ended_at, excluded.ended_at),
    unread_from = least(s.unread_from, excluded.unread_from), late_at = greatest(s.late_at, excluded.late_at),
    state = excluded.state, waits_for = excluded.waits_for, waits_event = excluded.waits_event,
    state_since = case when s.state = excluded.state and s.waits_for is not distinct from excluded.waits_for
      and s.waits_event is not distinct from excluded.waits_event then coalesce(s.state_since, excluded.state_since) else excluded.state_since end,
    loop_since = case when excluded.state = 'working' then s.loop_since end,
    loop_event = case when excluded.state = 'working' then s.loop_event end`;

import { members } from "../merge/merge.ts";
import type { Progress } from "../merge/progress.ts";
import type { Observation } from "../observation.ts";
import { addModels, costText, type Totals } from "../totals.ts";
import type { Packet } from "./packet.ts";
import type { NamedSession, SessionRow, SessionState } from "./session-rows.ts";
import { type Sender, writeUsers } from "./user-rows.ts";

/** The changes of a session that a batch brings. */
export interface SessionUpdate {
  named: NamedSession;
  progress: Progress;
  totals: Totals;
  /** The beginning of the earliest of its events that may name issues, epoch ms. */
  unread: number | undefined;
  /** True when an event that is long over was reported. */
  late: boolean;
  observations: readonly Observation[];
}

interface Change
  extends Omit<Totals, "models" | "cost">,
    Pick<SessionRow, "session_id" | "user_id" | "metadata" | "timestamp" | "external_id"> {
  source: string;
  observed: SessionState;
  models: Record<string, number>;
  unread: string;
  late: boolean;
  cost: string;
}

/** Writes the changes of sessions, and adds to their totals. */
export function writeSessions(
  packet: Packet,
  sender: Sender,
  sessions: ReadonlyMap<string, SessionRow>,
  news: readonly SessionUpdate[],
): void {
  const changes = news.flatMap((each) => {
    const row = sessions.get(each.named.session_id);
    return row ? [changeOf(row, each, sender)] : [];
  });
  writeUsers(packet, sender, changes, news);
  packet.push({
    name: "observe-session-updates",
    text: UPDATE,
    values: [sender.organizationId, JSON.stringify(changes), sender.now],
  });
}

function changeOf(
  row: SessionRow,
  { named, progress, totals, unread, late, observations }: SessionUpdate,
  { keyName }: Sender,
): Change {
  const userId = observations.flatMap(({ user }) => user?.id ?? []).sort()[0];
  const owned = row.registered && row.observed === null;
  const user = owned
    ? row.user_id
    : row.observed?.isUserTold
      ? least(row.user_id, userId)
      : (userId ?? row.user_id ?? keyName);
  const metadata = observations
    .flatMap(({ sessionMetadata }) => (sessionMetadata ? [sessionMetadata] : []))
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
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, models, ended_at, unread_from, late_at)
  select $1, n.session_id, n.user_id, n.user_id is not null, n.metadata, to_timestamp(n.timestamp / 1000), false,
    to_timestamp($3::float8 / 1000), to_timestamp($3::float8 / 1000), n.external_id, n.source, n.observed, n.events, n.failures,
    n.turns, n."toolCalls", n."inputTokens", n."outputTokens", n."cacheReadTokens", n."cacheWriteTokens", n.cost, n.models,
    to_timestamp(nullif(n."endedAt", 0) / 1000), n.unread, case when n.late then to_timestamp($3::float8 / 1000) end
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, user_id text, metadata jsonb, timestamp float8, external_id text,
    source text, observed jsonb, models jsonb, cost numeric, unread timestamptz, late boolean, events bigint, failures bigint, turns bigint, "toolCalls" bigint,
    "inputTokens" bigint, "outputTokens" bigint, "cacheReadTokens" bigint, "cacheWriteTokens" bigint, "endedAt" float8)
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
    cost = coalesce(s.cost, 0) + excluded.cost, ended_at = greatest(s.ended_at, excluded.ended_at),
    unread_from = least(s.unread_from, excluded.unread_from), late_at = greatest(s.late_at, excluded.late_at)`;

/** Adds to what closing events changes of a session's totals, where they are kept. */
export function addClosed(packet: Packet, organizationId: string, session: string, { failures, turns }: Totals): void {
  packet.push({
    name: "observe-closed-totals",
    text: `update recorded_session set failures = failures + $3, turns = turns + $4
      where organization_id = $1 and session_id = $2`,
    values: [organizationId, session, failures, turns],
  });
}

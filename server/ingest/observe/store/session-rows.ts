import type { ClientBase } from "pg";
import { members } from "../merge/merge.ts";
import type { Progress } from "../merge/progress.ts";
import type { Observation } from "../observation.ts";
import { addModels, costText, type Totals } from "../totals.ts";

/** What connectors know of a session beside what is shown. */
interface SessionState {
  progress: Progress;
  /** Whether the telemetry named the person; else the key's name stands for them. */
  isUserTold?: true;
}

/** A session that is locked until the transaction ends. */
export interface SessionRow {
  session_id: string;
  user_id: string | null;
  registered: boolean;
  metadata: Record<string, unknown>;
  /** Epoch ms. */
  timestamp: number;
  timestamp_sent: boolean;
  last_received_at: number;
  external_id: string | null;
  source: string | null;
  observed: SessionState | null;
  /** Null: its totals are not kept yet. */
  events: string | null;
  models: Record<string, number> | null;
  /** This transaction made it. */
  isNew?: true;
}

/** A session that observations name. */
export interface NamedSession {
  session_id: string;
  external_id: string | null;
  source: string;
  timestamp: number;
}

/** Makes the sessions that are not there, and locks all of them, and those of `more` that exist, in one order. */
export async function lockSessions(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  named: readonly NamedSession[],
  more: readonly string[],
): Promise<Map<string, SessionRow>> {
  const sorted = [...named].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  const made = sorted.length > 0 ? await makeSessions(client, { organizationId, now }, sorted) : new Set();
  if (made.size === sorted.length && more.length === 0)
    return new Map(sorted.map((each) => [each.session_id, newSession(each, now)]));
  const { rows } = await client.query<SessionRow>({
    name: "observe-sessions",
    text: `select session_id, user_id, registered, metadata, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
        timestamp_sent, (extract(epoch from last_received_at) * 1000)::float8 as last_received_at, external_id, source, observed, events, models
      from recorded_session where organization_id = $1 and session_id = any($2) order by session_id for update`,
    values: [organizationId, [...sorted.map((each) => each.session_id), ...more]],
  });
  return new Map(rows.map((row) => [row.session_id, row]));
}

/** Answers which sessions were not there. */
async function makeSessions(
  client: ClientBase,
  { organizationId, now }: { organizationId: string; now: number },
  sorted: readonly NamedSession[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ session_id: string }>({
    name: "observe-stubs",
    text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
        received_at, last_received_at, events, failures, turns, tool_calls)
      select $1, id, '{}', to_timestamp(at / 1000), false, false, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000), 0, 0, 0, 0
      from unnest($2::uuid[], $3::float8[]) n (id, at)
      on conflict (organization_id, session_id) do nothing returning session_id`,
    values: [organizationId, sorted.map((each) => each.session_id), sorted.map((each) => each.timestamp), now],
  });
  return new Set(rows.map(({ session_id }) => session_id));
}

/** A session as it was made just now. */
const newSession = ({ session_id, timestamp }: NamedSession, now: number): SessionRow => ({
  session_id,
  user_id: null,
  registered: false,
  metadata: {},
  timestamp,
  timestamp_sent: false,
  last_received_at: now,
  external_id: null,
  source: null,
  observed: null,
  events: "0",
  models: null,
  isNew: true,
});

/** What a batch tells of a session. */
export interface SessionNews {
  named: NamedSession;
  progress: Progress;
  totals: Totals;
  observations: readonly Observation[];
}

/** Who stands for the person when the telemetry names nobody, and when all of this came. */
export interface Teller {
  organizationId: string;
  keyName: string;
  now: number;
}

interface Change {
  session_id: string;
  user_id: string | null;
  metadata: Record<string, unknown>;
  timestamp: number;
  external_id: string | null;
  source: string;
  observed: SessionState;
  models: Record<string, number>;
  totals: Totals;
  cost: string;
}

/** Writes what a batch told of sessions, and adds to their totals. */
export async function writeSessions(
  client: ClientBase,
  teller: Teller,
  sessions: ReadonlyMap<string, SessionRow>,
  news: readonly SessionNews[],
): Promise<void> {
  const changes = news.flatMap((each) => {
    const row = sessions.get(each.named.session_id);
    return row ? [changeOf(row, each, teller)] : [];
  });
  await writeUsers(client, teller, changes, news);
  await client.query({
    name: "observe-session-news",
    text: UPDATE,
    values: [teller.organizationId, JSON.stringify(changes), teller.now],
  });
}

function changeOf(
  row: SessionRow,
  { named, progress, totals, observations }: SessionNews,
  { keyName }: Teller,
): Change {
  const told = observations.flatMap(({ user }) => user?.id ?? []).sort()[0];
  const owned = row.registered && row.observed === null;
  const user = owned
    ? row.user_id
    : row.observed?.isUserTold
      ? least(row.user_id, told)
      : (told ?? row.user_id ?? keyName);
  const metadata = observations
    .flatMap(({ sessionMetadata }) => (sessionMetadata ? [sessionMetadata] : []))
    .reduce((all, each) => members(all, each), row.metadata);
  const isUserTold = row.observed?.isUserTold || told !== undefined;
  return {
    session_id: row.session_id,
    user_id: user,
    metadata,
    timestamp: row.timestamp_sent ? row.timestamp : Math.min(row.timestamp, named.timestamp),
    external_id: row.external_id ?? named.external_id,
    source: row.source === null ? named.source : (least(row.source, named.source) ?? named.source),
    observed: { progress, ...(isUserTold && { isUserTold: true }) },
    models: addModels(row.models ?? {}, totals.models),
    totals,
    cost: costText(totals),
  };
}

const least = (a: string | null, b: string | undefined): string | null =>
  a === null ? (b ?? null) : b !== undefined && b < a ? b : a;

/** Raw SQL: sessions travel as one JSON list. Where totals are not kept yet, they stay unknown. */
const UPDATE = `update recorded_session s set
    user_id = n.user_id, registered = n.user_id is not null, metadata = n.metadata,
    timestamp = to_timestamp(n.timestamp / 1000), external_id = n.external_id, source = n.source, observed = n.observed,
    last_received_at = greatest(s.last_received_at, to_timestamp($3::float8 / 1000)),
    events = s.events + (n.totals ->> 'events')::bigint, failures = s.failures + (n.totals ->> 'failures')::bigint,
    turns = s.turns + (n.totals ->> 'turns')::bigint, tool_calls = s.tool_calls + (n.totals ->> 'toolCalls')::bigint,
    input_tokens = coalesce(s.input_tokens, 0) + (n.totals ->> 'inputTokens')::bigint,
    output_tokens = coalesce(s.output_tokens, 0) + (n.totals ->> 'outputTokens')::bigint,
    cache_read_tokens = coalesce(s.cache_read_tokens, 0) + (n.totals ->> 'cacheReadTokens')::bigint,
    cache_write_tokens = coalesce(s.cache_write_tokens, 0) + (n.totals ->> 'cacheWriteTokens')::bigint,
    cost = coalesce(s.cost, 0) + n.cost, models = n.models,
    ended_at = greatest(s.ended_at, to_timestamp(nullif((n.totals ->> 'endedAt')::float8, 0) / 1000))
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, user_id text, metadata jsonb, timestamp float8, external_id text,
    source text, observed jsonb, models jsonb, totals jsonb, cost numeric)
  where s.organization_id = $1 and s.session_id = n.session_id`;

/** Adds to the failures of a session, where its totals are kept. */
export async function addFailures(
  client: ClientBase,
  organizationId: string,
  session: string,
  failures: number,
): Promise<void> {
  await client.query({
    name: "observe-failures",
    text: "update recorded_session set failures = failures + $3 where organization_id = $1 and session_id = $2",
    values: [organizationId, session, failures],
  });
}

/** A user of whom nothing is new is left alone: the lock on the row would make all of a key's requests wait for each other. */
async function writeUsers(
  client: ClientBase,
  { organizationId, now }: Teller,
  changes: readonly Change[],
  news: readonly SessionNews[],
): Promise<void> {
  const traits = new Map<string, Record<string, unknown>>();
  for (const { user_id } of changes) if (user_id !== null) traits.set(user_id, {});
  for (const { user } of news.flatMap(({ observations }) => observations)) {
    const known = user && traits.get(user.id);
    if (user?.traits && known) traits.set(user.id, members(known, user.traits));
  }
  const rows = [...traits].sort(([a], [b]) => (a < b ? -1 : 1)).map(([user_id, own]) => ({ user_id, traits: own }));
  await client.query({
    name: "observe-users",
    text: `insert into recorded_user as known (organization_id, user_id, traits, first_seen_at)
      select $1, n.user_id, n.traits, to_timestamp($3::float8 / 1000) from jsonb_to_recordset($2::jsonb) n (user_id text, traits jsonb)
      where not exists (select from recorded_user k where k.organization_id = $1 and k.user_id = n.user_id
        and k.traits || n.traits = k.traits)
      on conflict (organization_id, user_id) do update set traits = known.traits || excluded.traits
        where known.traits || excluded.traits <> known.traits`,
    values: [organizationId, JSON.stringify(rows), now],
  });
}

import { getOwnProperty } from "../../../../formats/own.ts";
import { createMarkSessionsStatements } from "../../../resources/recorded/analytics/index.ts";
import { EVENT_COUNT_COLUMNS, SESSION_SUM_COLUMNS } from "../../../resources/recorded/kinds.ts";
import { mergeMembers } from "../fold/facts.ts";
import { deriveSessionState, type SessionProgress } from "../fold/progress.ts";
import { addModels, createEmptyTotals, formatTotalCost, type SessionTotals } from "../fold/totals.ts";
import type { StoredObservation } from "./observation-rows.ts";
import type { StatementPacket } from "./packet.ts";
import type { FoldArrival, LockedSessionRow, NamedSession } from "./session-rows.ts";

export interface EventChanges {
  /**
   * Difference that the changed events make to the totals of the session. The update adds the difference to the
   * session's totals.
   */
  totals: SessionTotals;
  /** Start of the earliest changed event that may name issues, epoch ms. */
  unread: number | undefined;
  /** True if an event changed that ended long ago. */
  late: boolean;
}

/** Returns the changes for a session in which no event changed. */
export const createEmptyEventChanges = (): EventChanges => ({
  totals: createEmptyTotals(),
  unread: undefined,
  late: false,
});

/** Changes that a fold makes to a session. */
export interface SessionUpdate extends EventChanges {
  /** Locked row before the changes. */
  row: LockedSessionRow;
  named: NamedSession;
  progress: SessionProgress;
  /** Observations in order of arrival. */
  observations: readonly StoredObservation[];
}

interface Change extends Pick<LockedSessionRow, "session_id" | "user_id" | "metadata" | "source"> {
  [column: string]: unknown;
}

/**
 * Inserts new sessions, updates existing sessions, and adds to their totals. Merges metadata and traits if `mayGrow` is
 * true. Fails if a session to insert already exists.
 */
export function writeSessions(
  packet: StatementPacket,
  arrival: FoldArrival,
  updates: readonly SessionUpdate[],
  mayGrow: boolean,
): void {
  const changes = updates.map((each) => changeOf(each, mayGrow));
  writeUsers(packet, arrival, changes, mayGrow ? updates.flatMap((each) => each.observations) : []);
  const recounted = updates.flatMap(({ row }, at) => (isCountedOtherwise(row, changes[at]) ? [row.session_id] : []));
  packet.push(...createMarkSessionsStatements(arrival.organizationId, recounted));
  const write = (name: string, text: string, rows: readonly Change[]) => {
    if (rows.length > 0)
      packet.push({ name, text, values: [arrival.organizationId, JSON.stringify(rows), arrival.now] });
  };
  write(
    "observe-session-inserts",
    INSERT,
    changes.filter((_, at) => updates[at]?.row.isUnstored),
  );
  write(
    "observe-session-updates",
    UPDATE,
    changes.filter((_, at) => !updates[at]?.row.isUnstored),
  );
}

/**
 * Returns true if the user, the agent or the repository of a session has changed. The events of the session must then
 * be counted again.
 */
function isCountedOtherwise(row: LockedSessionRow, next: Change | undefined): boolean {
  if (!next || row.isNew) return false;
  const isSame = (name: string) => getOwnProperty(row.metadata, name) === getOwnProperty(next.metadata, name);
  return row.user_id !== next.user_id || row.source !== next.source || !isSame("repository") || !isSame("cwd");
}

function changeOf(update: SessionUpdate, mayGrow: boolean): Change {
  const { row, named, progress, totals, unread, late, observations } = update;
  const userId = observations.flatMap(({ observation }) => observation.user?.id ?? []).sort()[0];
  const keyName = observations[0]?.keyName ?? null;
  const owned = row.registered && row.observed === null;
  const user = owned
    ? row.user_id
    : row.observed?.isUserTold
      ? least(row.user_id, userId)
      : (userId ?? row.user_id ?? keyName);
  const metadata = (mayGrow ? observations : [])
    .flatMap(({ observation: { sessionMetadata } }) => (sessionMetadata ? [sessionMetadata] : []))
    .reduce((all, each) => mergeMembers(all, each), row.metadata);
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
    state: deriveSessionState(progress),
    received: observations.reduce((latest, { receivedAt }) => Math.max(latest, receivedAt), row.last_received_at),
    unread: unread === undefined ? "infinity" : new Date(unread).toISOString(),
    cost: formatTotalCost(totals),
  };
}

const least = (a: string | null, b: string | undefined): string | null =>
  a === null ? (b ?? null) : b !== undefined && b < a ? b : a;

/** Columns of totals. A count that is null is not computed yet; adding to null keeps the count null. */
const TOTALS = [...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS];
const ADDED = [
  ...EVENT_COUNT_COLUMNS.map((name) => `${name} = s.${name} + excluded.${name}`),
  ...SESSION_SUM_COLUMNS.map((name) => `${name} = coalesce(s.${name}, 0) + excluded.${name}`),
];
const REPLACED = ["user_id", "registered", "metadata", "timestamp", "external_id", "source", "observed", "models"]
  .concat("state", "waits_for", "waits_event")
  .map((name) => `${name} = excluded.${name}`);

/** Raw SQL: sessions are passed as one JSON list. */
const INSERT = `insert into recorded_session as s (organization_id, session_id, user_id, registered, metadata,
    timestamp, timestamp_sent, received_at, last_received_at, external_id, source, observed, ${TOTALS.join(", ")},
    models, ended_at, unread_from, late_at, state, state_since, waits_for, waits_event)
  select $1, n.session_id, n.user_id, n.user_id is not null, n.metadata, to_timestamp(n.timestamp / 1000), false,
    to_timestamp(n.received / 1000), to_timestamp(n.received / 1000), n.external_id, n.source, n.observed, ${TOTALS.map((name) => `n.${name}`).join(", ")},
    n.models, to_timestamp(nullif(n.ended_at, 0) / 1000), n.unread, case when n.late then to_timestamp($3::float8 / 1000) end,
    n.state ->> 'state', to_timestamp((n.state ->> 'since')::float8 / 1000), n.state ->> 'waitsFor', (n.state ->> 'waitsEvent')::uuid
  from jsonb_to_recordset($2::jsonb) n (session_id uuid, user_id text, metadata jsonb, timestamp float8, external_id text,
    source text, observed jsonb, models jsonb, unread timestamptz, late boolean, state jsonb, received float8, ended_at float8,
    ${TOTALS.map((name) => `${name} numeric`).join(", ")})`;

/**
 * Updates sessions that exist and are locked. The statement is an upsert, so that PostgreSQL finds each row by its key
 * even with a plan that was made when the table was small.
 */
const UPDATE = `${INSERT} on conflict (organization_id, session_id) do update set ${[...REPLACED, ...ADDED].join(", ")},
    last_received_at = greatest(s.last_received_at, excluded.last_received_at), ended_at = greatest(s.ended_at, excluded.ended_at),
    unread_from = least(s.unread_from, excluded.unread_from), late_at = greatest(s.late_at, excluded.late_at),
    state_since = case when s.state = excluded.state and s.waits_for is not distinct from excluded.waits_for
      and s.waits_event is not distinct from excluded.waits_event then coalesce(s.state_since, excluded.state_since) else excluded.state_since end,
    loop_since = case when excluded.state = 'working' then s.loop_since end,
    loop_event = case when excluded.state = 'working' then s.loop_event end`;

/**
 * Writes users and their traits. Unchanged users are not updated, because the row lock would make all requests of a key
 * wait for each other. Raw SQL, like all statements here; docs/database.md explains why.
 */
function writeUsers(
  packet: StatementPacket,
  { organizationId, now }: FoldArrival,
  changes: readonly { user_id: string | null }[],
  observations: readonly StoredObservation[],
): void {
  const traits = new Map<string, Record<string, unknown>>();
  for (const { user_id } of changes) if (user_id !== null) traits.set(user_id, {});
  for (const { observation } of observations) {
    const { user } = observation;
    const known = user && traits.get(user.id);
    if (user?.traits && known) traits.set(user.id, mergeMembers(known, user.traits));
  }
  const rows = [...traits].sort(([a], [b]) => (a < b ? -1 : 1)).map(([user_id, own]) => ({ user_id, traits: own }));
  packet.push({
    name: "observe-users",
    text: `insert into recorded_user as known (organization_id, user_id, traits, first_seen_at)
      select $1, n.user_id, n.traits, to_timestamp($3::float8 / 1000) from jsonb_to_recordset($2::jsonb) n (user_id text, traits jsonb)
      left join lateral (select traits from recorded_user where organization_id = $1
        and user_id between n.user_id and n.user_id order by user_id limit 1) k on true
      where k.traits is null or k.traits || n.traits <> k.traits
      on conflict (organization_id, user_id) do update set traits = known.traits || excluded.traits
        where known.traits || excluded.traits <> known.traits`,
    values: [organizationId, JSON.stringify(rows), now],
  });
}

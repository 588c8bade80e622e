import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import type { SessionProgress } from "../fold/progress.ts";
import { sendPacket } from "./packet.ts";

/** Organization and time of a fold. */
export interface FoldArrival {
  organizationId: string;
  /** Epoch ms. */
  now: number;
}

/** Facts about a session that connectors reported and that are not displayed directly. */
export interface ConnectorSessionState {
  progress: SessionProgress;
  /** True if telemetry named the user. Otherwise the key's name stands for the user. */
  isUserTold?: true;
}

/** Session that is locked until the transaction ends. */
export interface LockedSessionRow {
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
  observed: ConnectorSessionState | null;
  /** Null if the totals are not computed yet. */
  events: string | null;
  models: Record<string, number> | null;
  /** True if this transaction created the session. */
  isNew?: true;
  /** True if the session must still be inserted. */
  isUnstored?: true;
}

/** Session that observations name. */
export interface NamedSession {
  session_id: string;
  external_id: string | null;
  source: string;
  timestamp: number;
}

/** Raw SQL, like all statements here; docs/database.md explains why. Locks the existing sessions in id order. */
export const lockSessionsStatement = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "observe-sessions",
  text: `select s.* from unnest($2::uuid[]) n (id) cross join lateral (select session_id, user_id, registered, metadata, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
        timestamp_sent, (extract(epoch from last_received_at) * 1000)::float8 as last_received_at, external_id, source, observed, events, models
      from recorded_session where organization_id = $1 and session_id between n.id and n.id order by session_id limit 1 for update) s`,
  values: [organizationId, [...ids].sort()],
});

/** Creates the row of a session that is not stored yet. */
export const buildNewSessionRow = (
  { now }: FoldArrival,
  { session_id, timestamp }: NamedSession,
): LockedSessionRow => ({
  ...{ session_id, timestamp, timestamp_sent: false, last_received_at: now },
  ...{ user_id: null, registered: false, external_id: null, source: null },
  ...{ metadata: {}, observed: null, models: null, events: "0" },
  ...{ isNew: true, isUnstored: true },
});

/** Creates sessions and locks them, including sessions that another transaction created in the meantime. */
export async function insertAndLockSessions(
  client: ClientBase,
  { organizationId, now }: FoldArrival,
  named: readonly NamedSession[],
): Promise<LockedSessionRow[]> {
  if (named.length === 0) return [];
  const sorted = [...named].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  const ids = sorted.map(({ session_id }) => session_id);
  const stubs = {
    name: "observe-stubs",
    text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
        received_at, last_received_at, events, failures, turns, tool_calls)
      select $1, id, '{}', to_timestamp(at / 1000), false, false, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000), 0, 0, 0, 0
      from unnest($2::uuid[], $3::float8[]) n (id, at)
      on conflict (organization_id, session_id) do nothing returning session_id`,
    values: [organizationId, ids, sorted.map(({ timestamp }) => timestamp), now],
  };
  const [made, rows] = (await sendPacket(client, [
    stubs,
    lockSessionsStatement(organizationId, ids),
  ])) as LockedSessionRow[][];
  const own = new Set(made?.map(({ session_id }) => session_id));
  return (rows ?? []).map((row) => (own.has(row.session_id) ? { ...row, isNew: true } : row));
}

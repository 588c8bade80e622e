import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import type { Progress } from "../fold/progress.ts";
import { sendPacket } from "./packet.ts";

/** The organization of a fold, and its moment. */
export interface Arrival {
  organizationId: string;
  /** Epoch ms. */
  now: number;
}

/** The facts that connectors know about a session beside the columns that are shown. */
export interface SessionState {
  progress: Progress;
  /** True when the telemetry named the person; else the key's name stands for them. */
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
  /** It is to be inserted. */
  isUnstored?: true;
}

/** A session that observations name. */
export interface NamedSession {
  session_id: string;
  external_id: string | null;
  source: string;
  timestamp: number;
}

/** Raw SQL, as all of this: docs/database.md says why. Locks those of some sessions that exist, in one order. */
export const lockOfSessions = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "observe-sessions",
  text: `select s.* from unnest($2::uuid[]) n (id) cross join lateral (select session_id, user_id, registered, metadata, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
        timestamp_sent, (extract(epoch from last_received_at) * 1000)::float8 as last_received_at, external_id, source, observed, events, models
      from recorded_session where organization_id = $1 and session_id between n.id and n.id order by session_id limit 1 for update) s`,
  values: [organizationId, [...ids].sort()],
});

/** The row of a session of which nothing is stored. */
export const newSession = ({ now }: Arrival, { session_id, timestamp }: NamedSession): SessionRow => ({
  ...{ session_id, timestamp, timestamp_sent: false, last_received_at: now },
  ...{ user_id: null, registered: false, external_id: null, source: null },
  ...{ metadata: {}, observed: null, models: null, events: "0" },
  ...{ isNew: true, isUnstored: true },
});

/** Makes sessions, and locks them with those that another transaction has made meanwhile. */
export async function makeSessions(
  client: ClientBase,
  { organizationId, now }: Arrival,
  named: readonly NamedSession[],
): Promise<SessionRow[]> {
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
  const [made, rows] = (await sendPacket(client, [stubs, lockOfSessions(organizationId, ids)])) as SessionRow[][];
  const own = new Set(made?.map(({ session_id }) => session_id));
  return (rows ?? []).map((row) => (own.has(row.session_id) ? { ...row, isNew: true } : row));
}

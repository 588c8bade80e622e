import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import type { Progress } from "../fold/progress.ts";
import { MANY } from "./copy-rows.ts";
import { type Packet, sendPacket } from "./packet.ts";
import type { Arrival } from "./user-rows.ts";

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
}

/** A session that observations name. */
export interface NamedSession {
  session_id: string;
  external_id: string | null;
  source: string;
  timestamp: number;
}

/** Raw SQL, as all of this: docs/database.md says why. Makes the sessions that are not there, and locks all of them, and those of `more` that exist, in one order. */
export async function lockSessions(
  client: ClientBase,
  { organizationId, now }: Arrival,
  named: readonly NamedSession[],
  more: readonly string[],
): Promise<Map<string, SessionRow>> {
  const sorted = [...named].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  const make: Packet = sorted.length > 0 ? [makeSessions({ organizationId, now }, sorted)] : [];
  const lock = lockKnown(organizationId, [...sorted.map((each) => each.session_id), ...more]);
  // Locking some rows that were made just now costs less than waiting for the answer that they were.
  const few = sorted.length < MANY || more.length > 0;
  const answers = await sendPacket(client, few ? [...make, lock] : make);
  const made = new Set(sorted.length > 0 ? (answers[0] as { session_id: string }[]).map((row) => row.session_id) : []);
  if (made.size === sorted.length && more.length === 0)
    return new Map(sorted.map((each) => [each.session_id, newSession(each, now)]));
  const rows = (few ? answers.at(-1) : (await sendPacket(client, [lock]))[0]) as SessionRow[];
  return new Map(rows.map((row) => [row.session_id, row]));
}

const lockKnown = (organizationId: string, ids: readonly string[]): Statement => ({
  name: "observe-sessions",
  text: `select s.* from unnest($2::uuid[]) n (id) cross join lateral (select session_id, user_id, registered, metadata, (extract(epoch from timestamp) * 1000)::float8 as timestamp,
      timestamp_sent, (extract(epoch from last_received_at) * 1000)::float8 as last_received_at, external_id, source, observed, events, models
    from recorded_session where organization_id = $1 and session_id between n.id and n.id order by session_id limit 1 for update) s`,
  values: [organizationId, [...ids].sort()],
});

/** Answers which sessions were not there. */
const makeSessions = ({ organizationId, now }: Arrival, sorted: readonly NamedSession[]): Statement => ({
  name: "observe-stubs",
  text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
      received_at, last_received_at, events, failures, turns, tool_calls)
    select $1, id, '{}', to_timestamp(at / 1000), false, false, to_timestamp($4::float8 / 1000), to_timestamp($4::float8 / 1000), 0, 0, 0, 0
    from unnest($2::uuid[], $3::float8[]) n (id, at)
    on conflict (organization_id, session_id) do nothing returning session_id`,
  values: [organizationId, sorted.map((each) => each.session_id), sorted.map((each) => each.timestamp), now],
});

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

import type { ClientBase } from "pg";
import type { SessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import type { Placed } from "./load.ts";

/** A row of recorded_session as one commit sees it: what was sent for it, merged, or a stub. */
export interface Session extends Omit<SessionRow, "user_id"> {
  organization_id: string;
  user_id: string | null;
}

/** The key of a session. */
export interface Key {
  organization_id: string;
  session_id: string;
}

/** A session among those of several organizations. */
export const keyOf = ({ organization_id, session_id }: Key) => `${organization_id}${session_id}`;

/** Raw SQL: pairs of ids travel as one list a column. */
const OWNERS = `select s.organization_id, s.session_id, s.user_id
  from unnest($1::uuid[], $2::uuid[]) n (organization_id, session_id)
  join recorded_session s on s.organization_id = n.organization_id and s.session_id = n.session_id
  where s.user_id is not null`;

/** The rows that were sent for each session, in order of arrival, merged per top-level key. The first user keeps it. */
export async function merge(
  client: ClientBase,
  sessions: readonly Placed<SessionRow>[],
): Promise<Map<string, Session>> {
  const found = await client.query<Key & { user_id: string }>(OWNERS, [
    sessions.map((placed) => placed.organization_id),
    sessions.map(({ row }) => row.session_id),
  ]);
  const owners = new Map(found.rows.map((row) => [keyOf(row), row.user_id]));
  const merged = new Map<string, Session>();
  for (const placed of sessions) {
    const { organization_id, row } = placed;
    const key = keyOf({ organization_id, session_id: row.session_id });
    const owner = owners.get(key) ?? row.user_id;
    owners.set(key, owner);
    const before = merged.get(key);
    if (owner !== row.user_id) placed.verdict = "conflict";
    else merged.set(key, before ? mergeRows(before, row) : { organization_id, ...row });
  }
  return merged;
}

const mergeRows = (before: Session, row: SessionRow): Session => ({
  ...before,
  metadata: { ...before.metadata, ...row.metadata },
  client_config: row.client_config ?? before.client_config,
  timestamp: row.timestamp_sent ? row.timestamp : before.timestamp,
  timestamp_sent: row.timestamp_sent || before.timestamp_sent,
  received_at: row.received_at,
  sanitized: Math.max(before.sanitized, row.sanitized),
});

/** Adds a stub for each session that is not registered here; it begins with its earliest event. */
export function addStubs(merged: Map<string, Session>, events: readonly Placed<EncodedEvent>[]): void {
  let known: Session | undefined;
  for (const { organization_id, row } of events) {
    const { session_id, timestamp } = row;
    // Events of one session mostly come one after the other.
    if (known?.session_id !== session_id || known.organization_id !== organization_id) {
      const key = keyOf({ organization_id, session_id });
      known = merged.get(key) ?? stub(organization_id, row);
      merged.set(key, known);
    }
    if (known.user_id === null) known.timestamp = Math.min(known.timestamp, timestamp);
  }
}

const stub = (organization_id: string, event: EncodedEvent): Session => ({
  organization_id,
  session_id: event.session_id,
  external_id: event.external_id,
  user_id: null,
  traits: {},
  user_sanitized: 0,
  metadata: {},
  client_config: null,
  timestamp: event.timestamp,
  timestamp_sent: false,
  received_at: event.received_at,
  sanitized: 0,
});

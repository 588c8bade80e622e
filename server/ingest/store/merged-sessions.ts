import type { ClientBase } from "pg";
import type { CapturedSessionRow } from "../rules/session.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import type { RowToStore } from "./load.ts";

/** Session row that a commit writes: either all rows that were sent for the session, merged into one row, or a stub. */
export interface MergedSession extends Omit<CapturedSessionRow, "user_id"> {
  organization_id: string;
  user_id: string | null;
}

/** Primary key of a session. */
export interface SessionKey {
  organization_id: string;
  session_id: string;
}

/** Returns the key of a session as text, unique across organizations. */
export const sessionKey = ({ organization_id, session_id }: SessionKey) => `${organization_id}${session_id}`;

/** Raw SQL: pairs of ids are passed as one list per column. */
const OWNERS = `select s.organization_id, s.session_id, s.user_id
  from unnest($1::uuid[], $2::uuid[]) n (organization_id, session_id)
  join recorded_session s on s.organization_id = n.organization_id and s.session_id = n.session_id
  where s.user_id is not null`;

/**
 * Merges the rows that were sent for each session, in order of arrival and field by field. A session keeps its first
 * user; rows that name another user are marked as conflicts.
 */
export async function mergeSessions(
  client: ClientBase,
  sessions: readonly RowToStore<CapturedSessionRow>[],
): Promise<Map<string, MergedSession>> {
  const found = await client.query<SessionKey & { user_id: string }>(OWNERS, [
    sessions.map((placed) => placed.organization_id),
    sessions.map(({ row }) => row.session_id),
  ]);
  const owners = new Map(found.rows.map((row) => [sessionKey(row), row.user_id]));
  const merged = new Map<string, MergedSession>();
  for (const placed of sessions) {
    const { organization_id, row } = placed;
    const key = sessionKey({ organization_id, session_id: row.session_id });
    const owner = owners.get(key) ?? row.user_id;
    owners.set(key, owner);
    const before = merged.get(key);
    if (owner !== row.user_id) placed.verdict = "conflict";
    else merged.set(key, before ? mergeRows(before, row) : { organization_id, ...row });
  }
  return merged;
}

const mergeRows = (before: MergedSession, row: CapturedSessionRow): MergedSession => ({
  ...before,
  metadata: { ...before.metadata, ...row.metadata },
  client_config: row.client_config ?? before.client_config,
  timestamp: row.timestamp_sent ? row.timestamp : before.timestamp,
  timestamp_sent: row.timestamp_sent || before.timestamp_sent,
  received_at: row.received_at,
  sanitized: Math.max(before.sanitized, row.sanitized),
});

/**
 * Adds a stub for each session that has events but no sent session row. A stub starts at the session's earliest event.
 */
export function addStubs(merged: Map<string, MergedSession>, events: readonly RowToStore<EncodedEvent>[]): void {
  let known: MergedSession | undefined;
  for (const { organization_id, row } of events) {
    const { session_id, timestamp } = row;
    // Events of one session usually arrive one after another, so the code looks up the session only when the session
    // changes.
    if (known?.session_id !== session_id || known.organization_id !== organization_id) {
      const key = sessionKey({ organization_id, session_id });
      known = merged.get(key) ?? stub(organization_id, row);
      merged.set(key, known);
    }
    if (known.user_id === null) known.timestamp = Math.min(known.timestamp, timestamp);
  }
}

const stub = (organization_id: string, event: EncodedEvent): MergedSession => ({
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

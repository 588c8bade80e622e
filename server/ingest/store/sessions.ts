import type { ClientBase } from "pg";
import { createMarkSessionsStatements } from "../../resources/recorded/analytics/index.ts";
import { sendPacket } from "../observe/store/packet.ts";
import {
  bool,
  column,
  columnArrays,
  columnNamesSql,
  type EncodedEvent,
  int4,
  jsonb,
  text,
  timestamptz,
  unnestColumnsSql,
  uuid,
} from "../tuple/index.ts";
import { type CommitRows, compareKeys, type RowToStore } from "./load.ts";
import { addStubs, type MergedSession, mergeSessions, type SessionKey, sessionKey } from "./merged-sessions.ts";
import { storeUsers } from "./users.ts";

const COLUMNS = [
  column("organization_id", uuid, (row: MergedSession) => row.organization_id),
  column("session_id", uuid, (row: MergedSession) => row.session_id),
  column("user_id", text, (row: MergedSession) => row.user_id),
  column("metadata", jsonb, (row: MergedSession) => JSON.stringify(row.metadata)),
  column("client_config", text, (row: MergedSession) => row.client_config),
  column("timestamp", timestamptz, (row: MergedSession) => row.timestamp),
  column("timestamp_sent", bool, (row: MergedSession) => row.timestamp_sent),
  column("registered", bool, (row: MergedSession) => row.user_id !== null),
  column("received_at", timestamptz, (row: MergedSession) => row.received_at),
  column("last_received_at", timestamptz, (row: MergedSession) => row.received_at),
  column("sanitized", int4, (row: MergedSession) => row.sanitized),
  column("external_id", text, (row: MergedSession) => row.external_id),
];

/**
 * Raw SQL, like all statements in this file. Rows are passed as one array per column, because the SQL parser would need
 * time for a long list of values. The column `unread_from` makes a job search new sessions and new metadata for
 * mentioned issues.
 */
const INSERT = `insert into recorded_session as known (${columnNamesSql(COLUMNS)}, events, failures, turns, tool_calls, unread_from)
  select *, 0, 0, 0, 0, 'infinity' from ${unnestColumnsSql(COLUMNS)}
  on conflict (organization_id, session_id)`;

const STUBS = `${INSERT} do nothing`;

/**
 * Completes a stub, or merges a session that was sent again. Leaves a session of another user unchanged, and does not
 * return that session.
 */
const UPSERT = `${INSERT} do update set
    user_id = excluded.user_id,
    metadata = known.metadata || excluded.metadata,
    client_config = coalesce(excluded.client_config, known.client_config),
    timestamp = case when excluded.timestamp_sent then excluded.timestamp when known.timestamp_sent
      then known.timestamp else least(known.timestamp, excluded.timestamp) end,
    timestamp_sent = known.timestamp_sent or excluded.timestamp_sent,
    registered = true,
    last_received_at = greatest(known.last_received_at, excluded.last_received_at),
    sanitized = greatest(known.sanitized, excluded.sanitized),
    external_id = coalesce(known.external_id, excluded.external_id),
    unread_from = coalesce(known.unread_from, excluded.unread_from)
  where excluded.registered and (known.user_id is null or known.user_id = excluded.user_id)
  returning organization_id, session_id`;

/** Thrown if a session got another user between two statements. The transaction must run again to see that user. */
class SessionTaken extends Error {
  /** SQLSTATE of a serialization failure, so that the caller retries the transaction. */
  readonly code = "40001";
}

/**
 * Stores users and sessions, and a stub for each session that has events but no sent session row. Marks a session as a
 * conflict if the session belongs to another user.
 */
export async function storeSessions(client: ClientBase, { sessions, events }: CommitRows): Promise<void> {
  const merged = sessions.length > 0 ? await mergeSessions(client, sessions) : new Map<string, MergedSession>();
  const registered = [...merged.values()];
  await storeUsers(client, sessions);
  addStubs(merged, events);
  const rows = [...merged.values()].sort((a, b) => compareKeys(sessionKey(a), sessionKey(b)));
  if (rows.length === 0) return;
  const [name, statement] = registered.length > 0 ? ["ingest-sessions", UPSERT] : ["ingest-stubs", STUBS];
  const result = await client.query<SessionKey>({ name, text: statement, values: columnArrays(COLUMNS, rows) });
  const stored = new Set(result.rows.map(sessionKey));
  if (registered.length > 0) await markStored(client, result.rows);
  if (registered.some((session) => !stored.has(sessionKey(session)))) throw new SessionTaken();
}

/**
 * Marks the hours of the sessions, so that a job counts these hours again. Events that arrived before their session now
 * count for the session's user.
 */
async function markStored(client: ClientBase, rows: readonly SessionKey[]): Promise<void> {
  for (const organization of new Set(rows.map(({ organization_id }) => organization_id))) {
    const own = rows.filter(({ organization_id }) => organization_id === organization);
    const ids = own.map(({ session_id }) => session_id);
    await sendPacket(client, createMarkSessionsStatements(organization, ids));
  }
}

/**
 * Returns SQL that inserts a stub for each session that does not exist. The SQL contains only validated ids and
 * times.
 */
export function insertSessionStubsSql(events: readonly RowToStore<EncodedEvent>[]): string {
  const stubs = new Map<string, MergedSession>();
  addStubs(stubs, events);
  const rows = [...stubs.values()].sort((a, b) => compareKeys(sessionKey(a), sessionKey(b)));
  const list = (type: string, read: (row: MergedSession) => string) => `'{${rows.map(read).join()}}'::${type}[]`;
  const time = (ms: number) => new Date(ms).toISOString();
  // Uses arrays, because parsing a VALUES list with this many rows takes longer than storing the rows.
  return `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
    received_at, last_received_at, external_id, events, failures, turns, tool_calls, unread_from)
    select o, s, '{}', t, false, false, r, r, x, 0, 0, 0, 0, 'infinity' from unnest(
      ${list("uuid", (row) => row.organization_id)}, ${list("uuid", (row) => row.session_id)},
      ${list("timestamptz", (row) => time(row.timestamp))}, ${list("timestamptz", (row) => time(row.received_at))},
      ${list("text", (row) => row.external_id ?? "null")}) n (o, s, t, r, x) on conflict (organization_id, session_id) do nothing`;
}

/** Deletes the stubs that have no stored event, because all events of the stub were rejected. */
export async function dropEmptyStubs(client: ClientBase, rejected: readonly RowToStore<EncodedEvent>[]): Promise<void> {
  await client.query(
    `delete from recorded_session s using unnest($1::uuid[], $2::uuid[]) n (organization_id, session_id)
      where s.organization_id = n.organization_id and s.session_id = n.session_id and not s.registered
        and not exists (select from recorded_event e
          where e.organization_id = s.organization_id and e.session_id = s.session_id)`,
    [rejected.map((placed) => placed.organization_id), rejected.map(({ row }) => row.session_id)],
  );
}

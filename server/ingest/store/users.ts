import type { ClientBase } from "pg";
import type { CapturedSessionRow } from "../rules/session.ts";
import {
  column,
  columnArrays,
  columnNamesSql,
  int4,
  jsonb,
  text,
  timestamptz,
  unnestColumnsSql,
  uuid,
} from "../tuple/index.ts";
import { compareKeys, type RowToStore } from "./load.ts";

interface User {
  organization_id: string;
  user_id: string;
  traits: Record<string, unknown>;
  first_seen_at: number;
  sanitized: number;
}

const COLUMNS = [
  column("organization_id", uuid, (row: User) => row.organization_id),
  column("user_id", text, (row: User) => row.user_id),
  column("traits", jsonb, (row: User) => JSON.stringify(row.traits)),
  column("first_seen_at", timestamptz, (row: User) => row.first_seen_at),
  column("sanitized", int4, (row: User) => row.sanitized),
];

/**
 * Raw SQL: rows are passed as one array per column, because the SQL parser would need time for a long list of values.
 */
const UPSERT = `insert into recorded_user as known (${columnNamesSql(COLUMNS)}) select * from ${unnestColumnsSql(COLUMNS)}
  on conflict (organization_id, user_id) do update set
    traits = known.traits || excluded.traits, sanitized = greatest(known.sanitized, excluded.sanitized)
  where known.traits || excluded.traits <> known.traits`;

/** Stores the users of sessions that are not in conflict. The last write of each trait wins. */
export async function storeUsers(
  client: ClientBase,
  sessions: readonly RowToStore<CapturedSessionRow>[],
): Promise<void> {
  const users = new Map<string, User>();
  for (const { organization_id, row, verdict } of sessions) {
    if (verdict !== "stored") continue;
    const before = users.get(organization_id + row.user_id);
    users.set(organization_id + row.user_id, {
      organization_id,
      user_id: row.user_id,
      traits: { ...before?.traits, ...row.traits },
      first_seen_at: before?.first_seen_at ?? row.received_at,
      sanitized: Math.max(before?.sanitized ?? 0, row.user_sanitized),
    });
  }
  if (users.size === 0) return;
  const rows = [...users].sort(([a], [b]) => compareKeys(a, b)).map(([, user]) => user);
  await client.query({ name: "ingest-users", text: UPSERT, values: columnArrays(COLUMNS, rows) });
}

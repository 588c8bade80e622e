import type { Database } from "../../db/open.ts";
import type { Workspace } from "../../test/support/workspace.ts";

/** Raw SQL, as in this whole file: inserts rows by the thousand. `$1` is the organization, `n` the number of a row. */
type Rows = Readonly<{ count: number; sql: string }>;

/** Sessions of the last 90 days. One in a hundred works, waits or is stuck; some have been in that state for weeks. */
export const SESSIONS: Rows = {
  count: 200_000,
  sql: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
    last_received_at, source, observed, events, failures, turns, tool_calls, ended_at, state, state_since, waits_for, loop_since)
  select $1, gen_random_uuid(), '{"cwd": "/srv/parcels", "host": "workstation"}', at, false, true, at, at + interval '5 minutes', 'claude-code', '{}',
    20, 0, 1, 18, at + interval '5 minutes', state, at, case when state like 'waiting%' then 'npm publish' end,
    case when state = 'working' and n % 3 = 0 then at end
  from (select n, now() - (n * interval '38 seconds') as at, case n % 1000 when 1 then 'working' when 2 then 'working'
      when 3 then 'waitingForPermission' when 4 then 'waitingForAnswer' when 5 then 'failed'
      else case n % 3 when 0 then 'idle' else 'ended' end end as state
    from generate_series($2::int, $3::int) n) s`,
};

const issueId = "md5('issue ' || $1 || n)::uuid";

/** All other inbox sources: of each type more entries than an inbox shows, among many rows without an inbox entry. */
const WAITING: readonly Rows[] = [
  {
    count: 1_500,
    sql: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
      last_received_at, source, observed, events, state, state_since, waits_for)
    select $1, gen_random_uuid(), '{"cwd": "/srv/parcels"}', at, false, true, at, at, 'codex', '{}', 20,
      (array['waitingForPermission', 'waitingForAnswer', 'working'])[1 + n % 3], at, repeat('npm publish ', 150)
    from generate_series($2::int, $3::int) n, lateral (select now() - n * interval '6 minutes' - interval '1 hour' as at) a`,
  },
  {
    count: 20_000,
    sql: `insert into recorded_failure_group (organization_id, group_id, tool, message, failures, sessions, users, first_at, last_at,
      event_id, session_id, stale)
    select $1, gen_random_uuid(), 'Bash', repeat('cannot find module ', 20), 3, 1, 1, now() - n * interval '12 minutes', now() - n * interval '1 minute',
      gen_random_uuid(), gen_random_uuid(), false from generate_series($2::int, $3::int) n`,
  },
  {
    count: 5_000,
    sql: `insert into issue select c.* from (select * from issue where "organizationId" = $1 limit 1) i, generate_series($2::int, $3::int) n,
      jsonb_populate_record(null::issue, to_jsonb(i) || jsonb_build_object('id', ${issueId}, 'number', n + 1000, 'previousIdentifiers', '{}'::text[],
        'description', repeat('What is to be done. ', 150), 'assigneeId', i."creatorId")) c`,
  },
  {
    count: 2_000,
    sql: `insert into "inboxNotice" ("organizationId", id, type, "userId", "issueId", "createdAt")
    select $1, gen_random_uuid(), (array['leaseExpired', 'issueAssigned', 'issueMentioned'])[1 + n % 3],
      case when n % 3 > 0 then (select "creatorId" from issue where "organizationId" = $1 limit 1) end, ${issueId}, now() - n * interval '20 minutes'
    from generate_series($2::int, $3::int) n`,
  },
  {
    count: 600,
    sql: `insert into "issueLease" ("organizationId", id, fence, "holderId", "ttlSeconds", "grantedAt", "renewedAt", "expiresAt", "checkAt",
      "stateId", "trippedAt", "trippedBy")
    select $1, i.id, 1, i."creatorId", 3600, now(), now(), now() + interval '30 days', now() + interval '30 days', i."stateId",
      now() - n * interval '10 minutes', 'cost'
    from generate_series($2::int, $3::int) n join issue i on i."organizationId" = $1 and i.id = ${issueId}`,
  },
];

/** Creates an issue and fills every inbox source of an organization. Marks half of the listed entries as done. */
export async function fillWaiting(db: Database, space: Workspace): Promise<void> {
  await space.issue();
  for (const rows of WAITING) await insertRows(db, space.organizationId, rows);
  const { inbox } = await space.gql("{ inbox(first: 250) { nodes { id } } }");
  const ids = inbox.nodes.flatMap(({ id }: { id: string }, at: number) => (at % 2 ? [id] : []));
  await space.does("inboxEntryUpdate", { ids, input: { done: true } });
}

/** Inserts rows, 2,000 per statement. */
export async function insertRows(db: Database, organizationId: string, { count, sql }: Rows): Promise<void> {
  for (let from = 1; from <= count; from += 2_000)
    await db.query({ text: sql, values: [organizationId, from, Math.min(count, from + 1_999)] });
  await db.query({ text: "analyze" });
}

import type { Write } from "../../write/write.ts";
import { isNamed } from "../issue-session/link.ts";
import { kindOf } from "../recorded/kinds.ts";
import type { Record } from "./acts.ts";
import { actsOf, type Call } from "./calls.ts";

/** Sessions of an issue that are read, the latest first, and calls of them. */
const [SESSIONS, CALLS] = [20, 4_000];
/** Characters of a call's arguments, and of either end of its result. */
const [ARGS, RESULT] = [8_192, 1_024];

interface Linked {
  id: string;
  source: string | null;
  cwd: string | null;
  emptied: boolean;
}

/** Raw SQL, as all here: the session that a claim `a` named. A job links it within seconds of its first event. */
const ARRIVED = `select s.session_id, a."createdAt" from recorded_session s
  where s.organization_id = $1 and ${isNamed("a.reference")} limit 1`;

/** Sessions are no rows of the tracker. One more than is read shows that there are more. */
const LINKED = `select s.session_id as id, s.source, s.metadata ->> 'cwd' as cwd, s.texts_removed_at is not null as emptied
  from (select session_id, max("createdAt") as "createdAt" from (
      select "sessionId" as session_id, "createdAt" from "issueSession" where "organizationId" = $1 and "issueId" = $2
      union all select s.* from (select * from "awaitedSession" where "organizationId" = $1 and "issueId" = $2 and kind = 'claimed'
        order by "createdAt" desc limit ${SESSIONS + 1}) a cross join lateral (${ARRIVED}) s) every group by session_id) l
    join recorded_session s on s.organization_id = $1 and s.session_id = l.session_id
  order by l."createdAt" desc, l.session_id limit ${SESSIONS + 1}`;

/**
 * A claim of a session of which nothing is recorded. Under the lease of another session it counts no more: whatever it
 * changed was there before that one ran what is demanded.
 */
const AWAITED = `select 1 from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $2 and a.kind = 'claimed'
  and not exists (${ARRIVED}) and not exists (select from "issueLease" l where l."organizationId" = $1 and l.id = $2
    and lower(l."sessionId") <> lower(a.reference)) limit 1`;

const READ = `select e.event_id as id, e.session_id as session, e.primitive_name as name, left(e.args, ${ARGS}) as args,
    left(e.result, ${RESULT}) as head, right(e.result, ${RESULT}) as tail, e.success, left(e.message, ${RESULT}) as message,
    (extract(epoch from e.timestamp) * 1000)::float8 as at, e.latency::float8 as latency, coalesce(e.open, false) as open
  from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) and ${kindOf("e")} = 'tool'
  order by e.timestamp desc, e.event_id desc limit ${CALLS + 1}`;

/** The calls of the sessions that are linked to an issue, the oldest first, and why they are not all there. */
export async function callsOf(write: Write, issueId: string): Promise<{ calls: Call[]; gaps: string[] }> {
  const { trx, scope } = write;
  const values = [scope.organizationId, issueId];
  const linked = await trx.query<Linked>({
    text: LINKED,
    values,
    reads: ["issueSession", "awaitedSession", "recorded_session"],
    writes: [],
  });
  const reads = ["awaitedSession", "recorded_session", "issueLease"];
  const [awaited] = await trx.query({ text: AWAITED, values, reads, writes: [] });
  const sessions = new Map(linked.slice(0, SESSIONS).map((each) => [each.id, each]));
  const rows = await trx.query<Omit<Call, "source" | "cwd">>({
    text: READ,
    values: [scope.organizationId, [...sessions.keys()]],
    reads: ["recorded_event"],
    writes: [],
  });
  const gaps = [
    ...(linked.length === 0 && !awaited ? ["No recorded session is linked to the issue."] : []),
    ...(awaited ? ["Nothing is recorded of a session that claimed it."] : []),
    ...(linked.length > SESSIONS ? [`More than ${SESSIONS} sessions are linked to it.`] : []),
    ...(rows.length > CALLS ? [`Its sessions have more than ${CALLS} calls of tools.`] : []),
    ...(linked.some(({ emptied }) => emptied) ? ["Texts of one of its sessions were removed."] : []),
  ];
  const calls = rows.slice(0, CALLS).reverse();
  return {
    calls: calls.map((row) => ({
      ...row,
      source: sessions.get(row.session)?.source ?? null,
      cwd: sessions.get(row.session)?.cwd ?? null,
    })),
    gaps,
  };
}

/** The record of an issue as it is judged. */
export async function recordOf(write: Write, issueId: string): Promise<Record> {
  const { calls, gaps } = await callsOf(write, issueId);
  const sessions = [...new Set(calls.map(({ session }) => session))];
  const acts = sessions.flatMap((session) => actsOf(calls.filter((call) => call.session === session)));
  acts.sort((one, other) => one.from - other.from);
  return { acts, gaps, folders: [...new Set(calls.flatMap(({ cwd }) => cwd ?? []))] };
}

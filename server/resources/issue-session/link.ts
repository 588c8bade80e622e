import type { Statement, Transaction } from "../../../db/open.ts";
import { UUID_PATTERN } from "../../../formats/uuid.ts";
import type { Write } from "../../write/write.ts";
import type { LinkKind } from "./issue-session.ts";

/**
 * SQL condition: a text is the id of a session `s`, or the id that the agent reported. Raw SQL: shared by statements
 * that lock, link or forget sessions.
 */
export const isNamedSql = (text: string): string => `(s.external_id = ${text} or s.session_id = ${uuidOf(text)})`;

/** SQL for the UUID in a text, or null. */
const uuidOf = (text: string): string => `case when ${text} ~* '${UUID_PATTERN}' then (${text})::uuid end`;

/** A recorded session that has arrived, and the reference of an issue to this session. */
interface Arrived {
  issueId: string;
  reference: string;
  kind: string;
  createdAt: Date | string;
  sessionId: string;
}

/** The organization comes from a row of `sync`, so that on Citus the organization's node runs the statement alone. */
const LINK = `insert into "issueSession" as l ("organizationId", "issueId", "sessionId", "createdAt", claimed, filed)
  select y."organizationId", d.issue, d.session, max(d.at), bool_or(d.kind = 'claimed'), bool_or(d.kind = 'filed')
    from sync y cross join unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[]) d (issue, session, at, kind)
   where y."organizationId" = $1 group by 1, 2, 3 offset 0
  on conflict ("organizationId", "issueId", "sessionId") do update
    set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed
    where excluded.claimed and not l.claimed or excluded.filed and not l.filed`;

const SETTLE = `delete from "awaitedSession" a using unnest($2::uuid[], $3::text[], $4::text[]) d (issue, reference, kind)
  where a."organizationId" = $1 and a."issueId" = d.issue and a.reference = d.reference and a.kind = d.kind`;

/** Returns the statements that link issues to sessions and remove the awaited references. */
function linkStatements(organizationId: string, arrived: readonly Arrived[]): Statement[] {
  const column = (name: keyof Arrived) => arrived.map((each) => each[name]);
  const [issues, kinds] = [column("issueId"), column("kind")];
  const links = [organizationId, issues, column("sessionId"), column("createdAt"), kinds];
  const settled = [organizationId, issues, column("reference"), kinds];
  return [
    { name: "link-sessions", text: LINK, values: links, reads: ["sync"], writes: ["issueSession"] },
    { name: "settle-sessions", text: SETTLE, values: settled, reads: [], writes: ["awaitedSession"] },
  ];
}

/**
 * Finds the session of organization $1 with the name $2, and the references by which issue $3 awaits the session. The
 * lock prevents retention from deleting the session before the link exists.
 */
const NAMED = `select s.session_id as "sessionId", (
    select coalesce(json_agg(json_build_object('reference', a.reference, 'kind', a.kind, 'createdAt', a."createdAt")), '[]')
    from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $3 and ${isNamedSql("a.reference")}) as awaited
  from recorded_session s where s.organization_id = $1 and ${isNamedSql("$2::text")} limit 1 for key share`;

const AWAIT = `insert into "awaitedSession" ("organizationId", "issueId", reference, kind)
  values ($1, $2, $3, $4) on conflict do nothing`;

/**
 * Links an issue to the session with a given name, including earlier references that await the session. If the
 * session is not recorded yet, the reference is stored, and a job creates the link later.
 */
export async function linkSession(
  { trx, scope: { organizationId }, followUps, at }: Write,
  issueId: string,
  reference: string,
  kind: Exclude<LinkKind, "mentioned">,
): Promise<void> {
  const reads = ["recorded_session", "awaitedSession"];
  const named = { name: "session-named", text: NAMED, values: [organizationId, reference, issueId], reads, writes: [] };
  const [session] = await trx.query<{ sessionId: string; awaited: Arrived[] }>(named);
  if (session) {
    const { sessionId, awaited } = session;
    const all = [{ reference, kind, createdAt: at }, ...awaited].map((each) => ({ ...each, issueId, sessionId }));
    followUps.push(...linkStatements(organizationId, all).slice(0, awaited.length > 0 ? 2 : 1));
  } else {
    const values = [organizationId, issueId, reference, kind];
    followUps.push({ name: "await-session", text: AWAIT, values, reads: [], writes: ["awaitedSession"] });
  }
}

/**
 * Finds a session of organization $1 by the reference `a`: by id, or by the id that the agent reported. Each
 * condition uses an index of its own, for any content of the tables. Raw SQL, like all statements here;
 * docs/database.md gives the reason.
 */
const NAMED_BY = `select o.session_id from (
    (select s.session_id from recorded_session s where s.organization_id = $1 and s.external_id = a.reference
      order by s.external_id limit 1)
    union all
    (select s.session_id from recorded_session s where s.organization_id = $1
      and s.session_id between ${uuidOf("a.reference")} and ${uuidOf("a.reference")} order by s.session_id limit 1)) o limit 1`;

/**
 * Finds awaited sessions of organization $1 that are recorded by now, and locks the sessions until they are linked.
 * Each table is compared with the organization directly, because Citus plans distributed tables only by that
 * comparison. $2 is the limit.
 */
export const arrivedSessionsSql = (which: string): string => `
  select a."issueId", a.reference, a.kind, a."createdAt", s.session_id as "sessionId" from (
    select * from "awaitedSession" a where a."organizationId" = $1 and ${which}) a
  cross join lateral (${NAMED_BY}) n (id) cross join lateral (
    select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id between n.id and n.id
      order by s.session_id limit 1 for key share) s
  limit $2`;

/**
 * Links an organization's issues to the sessions that `arrivedSessionsSql` finds. The first value of the query is the
 * organization. Returns the number of found sessions.
 */
export async function linkArrivedSessions({ query }: Pick<Transaction, "query">, find: Statement): Promise<number> {
  const arrived = await query<Arrived>({ ...find, reads: ["awaitedSession", "recorded_session"], writes: [] });
  if (arrived.length > 0)
    for (const statement of linkStatements(String(find.values?.[0]), arrived)) await query(statement);
  return arrived.length;
}

/**
 * Maximum number of awaited references per issue. An issue with more references mostly awaits sessions that never
 * arrive.
 */
const LATEST = 50;

const OF_ISSUE = arrivedSessionsSql(`a."issueId" = $3 order by a."createdAt" desc limit ${LATEST}`);

/**
 * Links an issue to awaited sessions that are recorded by now. A job does the same within seconds. Code that reads
 * and stores the sessions of an issue calls this function first.
 */
export const linkArrivedSessionsOfIssue = ({ trx, scope }: Write, issueId: string): Promise<number> =>
  linkArrivedSessions(trx, {
    name: "arrived-of-issue",
    text: OF_ISSUE,
    values: [scope.organizationId, LATEST, issueId],
  });

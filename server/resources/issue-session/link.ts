import type { Statement, Transaction } from "../../../db/open.ts";
import { UUID_PATTERN } from "../../../formats/uuid.ts";
import type { WriteContext } from "../../write/write.ts";
import type { LinkKind } from "./issue-session.ts";

/**
 * SQL condition: a text is the id of a session `s`, or the id that the agent reported. Raw SQL: shared by statements
 * that lock, link or forget sessions.
 */
export const isSessionNamedSql = (text: string): string =>
  `(s.external_id = ${text} or s.session_id = ${uuidOf(text)})`;

/** SQL that converts a text to a UUID; null if the text is not a UUID. */
const uuidOf = (text: string): string => `case when ${text} ~* '${UUID_PATTERN}' then (${text})::uuid end`;

/** A recorded session, and the reference by which an issue named the session. */
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

/**
 * Returns two kinds of statements: inserts of links from issues to sessions, and deletions of the references that
 * waited for these sessions.
 */
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
 * SQL that finds the session of organization $1 by the reference $2, and all references by which issue $3 waits for
 * this session. The lock prevents retention from deleting the session before the link exists.
 */
const NAMED = `select s.session_id as "sessionId", (
    select coalesce(json_agg(json_build_object('reference', a.reference, 'kind', a.kind, 'createdAt', a."createdAt")), '[]')
    from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $3 and ${isSessionNamedSql("a.reference")}) as awaited
  from recorded_session s where s.organization_id = $1 and ${isSessionNamedSql("$2::text")} limit 1 for key share`;

const AWAIT = `insert into "awaitedSession" ("organizationId", "issueId", reference, kind)
  values ($1, $2, $3, $4) on conflict do nothing`;

/**
 * Links an issue to the session that a reference names. Earlier references of the issue that wait for the same session
 * become links too. If the session is not recorded yet, the reference is stored, and a job creates the link later.
 */
export async function linkSession(
  { trx, scope: { organizationId }, followUps, at }: WriteContext,
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
 * SQL that finds a session of organization $1 by a stored reference `a`: by the session's id, or by the id that the
 * agent reported. Each of the two conditions is a separate query, so that each always uses its own index. Raw SQL, like
 * all statements here; docs/database.md gives the reason.
 */
const NAMED_BY = `select o.session_id from (
    (select s.session_id from recorded_session s where s.organization_id = $1 and s.external_id = a.reference
      order by s.external_id limit 1)
    union all
    (select s.session_id from recorded_session s where s.organization_id = $1
      and s.session_id between ${uuidOf("a.reference")} and ${uuidOf("a.reference")} order by s.session_id limit 1)) o limit 1`;

/**
 * SQL that finds the stored references of organization $1 whose sessions have been recorded meanwhile, and locks the
 * sessions until they are linked. The condition on the organization is repeated for each table, because Citus plans
 * distributed tables only by that comparison. $2 is the limit.
 */
export const arrivedSessionsSql = (which: string): string => `
  select a."issueId", a.reference, a.kind, a."createdAt", s.session_id as "sessionId" from (
    select * from "awaitedSession" a where a."organizationId" = $1 and ${which}) a
  cross join lateral (${NAMED_BY}) n (id) cross join lateral (
    select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id between n.id and n.id
      order by s.session_id limit 1 for key share) s
  limit $2`;

/**
 * Links the issues of an organization to the sessions that the statement `find` (from `arrivedSessionsSql`) returns.
 * The first value of `find` is the organization. Returns the number of found sessions.
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
 * Links an issue to the sessions that it references and that have been recorded meanwhile. A job does the same within
 * seconds. Code that reads and stores the sessions of an issue calls this function first.
 */
export const linkArrivedSessionsOfIssue = ({ trx, scope }: WriteContext, issueId: string): Promise<number> =>
  linkArrivedSessions(trx, {
    name: "arrived-of-issue",
    text: OF_ISSUE,
    values: [scope.organizationId, LATEST, issueId],
  });

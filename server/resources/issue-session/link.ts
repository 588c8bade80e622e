import type { Statement, Transaction } from "../../../db/open.ts";
import { UUID_PATTERN } from "../../../formats/uuid.ts";
import type { Write } from "../../write/write.ts";
import type { LinkKind } from "./issue-session.ts";

/**
 * SQL of whether a session, as `s`, is the one that a text names: its id, or the id its agent gave it. Raw SQL: shared by
 * statements that lock, link and forget at once.
 */
export const isNamed = (text: string): string => `(s.external_id = ${text} or s.session_id = ${uuidOf(text)})`;

/** SQL of the id that a text is, or null. */
const uuidOf = (text: string): string => `case when ${text} ~* '${UUID_PATTERN}' then (${text})::uuid end`;

/** A session that an issue is to be linked to, by one of its names, and that is there. */
interface Arrived {
  issueId: string;
  reference: string;
  kind: string;
  createdAt: Date | string;
  sessionId: string;
}

/** The organization is taken from a row: where tables lie on several nodes, its own then runs this alone. */
const LINK = `insert into "issueSession" as l ("organizationId", "issueId", "sessionId", "createdAt", claimed, filed)
  select y."organizationId", d.issue, d.session, max(d.at), bool_or(d.kind = 'claimed'), bool_or(d.kind = 'filed')
    from sync y cross join unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[]) d (issue, session, at, kind)
   where y."organizationId" = $1 group by 1, 2, 3 offset 0
  on conflict ("organizationId", "issueId", "sessionId") do update
    set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed
    where excluded.claimed and not l.claimed or excluded.filed and not l.filed`;

const SETTLE = `delete from "awaitedSession" a using unnest($2::uuid[], $3::text[], $4::text[]) d (issue, reference, kind)
  where a."organizationId" = $1 and a."issueId" = d.issue and a.reference = d.reference and a.kind = d.kind`;

/** The statements that link issues to sessions, which they then do not await any more. */
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
 * The session of $1 that the text $2 names, and what issue $3 awaited it for. The lock keeps retention from taking it away
 * before it is linked.
 */
const NAMED = `select s.session_id as "sessionId", (
    select coalesce(json_agg(json_build_object('reference', a.reference, 'kind', a.kind, 'createdAt', a."createdAt")), '[]')
    from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $3 and ${isNamed("a.reference")}) as awaited
  from recorded_session s where s.organization_id = $1 and ${isNamed("$2::text")} limit 1 for key share`;

const AWAIT = `insert into "awaitedSession" ("organizationId", "issueId", reference, kind)
  values ($1, $2, $3, $4) on conflict do nothing`;

/**
 * Links an issue that this mutation writes to the session that a text names, as also what awaited the session. One of
 * which nothing is recorded yet is awaited: a job links it once it is there.
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
 * A session of $1 that goes by a reference `a`, by its own id or its agent's: each is found by its own index, whatever
 * the tables hold. Raw SQL, as all here: docs/database.md says why.
 */
const NAMED_BY = `select o.session_id from (
    (select s.session_id from recorded_session s where s.organization_id = $1 and s.external_id = a.reference
      order by s.external_id limit 1)
    union all
    (select s.session_id from recorded_session s where s.organization_id = $1
      and s.session_id between ${uuidOf("a.reference")} and ${uuidOf("a.reference")} order by s.session_id limit 1)) o limit 1`;

/**
 * Sessions that issues of $1 await, as far as something of them is recorded by now, locked as long as they are not linked.
 * Each table gets the organization itself: tables on several nodes are planned by that alone. $2 bounds them.
 */
export const arrivedWhere = (which: string): string => `
  select a."issueId", a.reference, a.kind, a."createdAt", s.session_id as "sessionId" from (
    select * from "awaitedSession" a where a."organizationId" = $1 and ${which}) a
  cross join lateral (${NAMED_BY}) n (id) cross join lateral (
    select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id between n.id and n.id
      order by s.session_id limit 1 for key share) s
  limit $2`;

/** Links issues of an organization, the first value of the query, to sessions that `arrivedWhere` finds. Answers how many it found. */
export async function linkArrived({ query }: Pick<Transaction, "query">, find: Statement): Promise<number> {
  const arrived = await query<Arrived>({ ...find, reads: ["awaitedSession", "recorded_session"], writes: [] });
  if (arrived.length > 0)
    for (const statement of linkStatements(String(find.values?.[0]), arrived)) await query(statement);
  return arrived.length;
}

/** Issues await more sessions than this only where most of them never come. */
const LATEST = 50;

const OF_ISSUE = arrivedWhere(`a."issueId" = $3 order by a."createdAt" desc limit ${LATEST}`);

/**
 * Links an issue to the sessions that it awaits, as far as something of them is recorded by now. A job does so within
 * seconds; whatever reads the sessions of one issue and keeps what it finds calls this before.
 */
export const linkArrivedOf = ({ trx, scope }: Write, issueId: string): Promise<number> =>
  linkArrived(trx, { name: "arrived-of-issue", text: OF_ISSUE, values: [scope.organizationId, LATEST, issueId] });

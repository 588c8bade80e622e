import type { Statement, Transaction } from "../../../db/open.ts";
import type { Write } from "../../write/write.ts";
import { type Arrived, linkStatements, uuidOf } from "./link.ts";

/**
 * A session of $1 that goes by a reference `a`, by its own id or its agent's: each is found by its own index, whatever
 * the tables hold. Raw SQL, as all here: docs/database.md says why.
 */
const NAMED = `select o.session_id from (
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
  cross join lateral (${NAMED}) n (id) cross join lateral (
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

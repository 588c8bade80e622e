import type { Write } from "../../write/write.ts";
import { uuidOf } from "./link.ts";

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
 * Links issues of $1 to the sessions that they await, as far as something of them is recorded by now. Each table gets
 * the organization itself: tables on several nodes are planned by that alone. $2 bounds them.
 */
export const linkWhere = (which: string): string => `with arrived as (
    select a."issueId", a.reference, a.kind, a."createdAt", s.session_id from (
      select * from "awaitedSession" a where a."organizationId" = $1 and ${which}) a
    cross join lateral (${NAMED}) n (id) cross join lateral (
      select s.session_id from recorded_session s where s.organization_id = $1 and s.session_id between n.id and n.id
        order by s.session_id limit 1 for key share) s
    limit $2),
  linked as (
    insert into "issueSession" as l ("organizationId", "issueId", "sessionId", "createdAt", claimed, filed)
    select $1::uuid, "issueId", session_id, max("createdAt"), bool_or(kind = 'claimed'), bool_or(kind = 'filed') from arrived
    group by 1, 2, 3
    on conflict ("organizationId", "issueId", "sessionId") do update
      set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed)
  delete from "awaitedSession" a using arrived r where a."organizationId" = $1
    and a."issueId" = r."issueId" and a.reference = r.reference and a.kind = r.kind
  returning 1`;

/** Issues await more sessions than this only where most of them never come. */
const LATEST = 50;

const LINK_ISSUE = linkWhere(`a."issueId" = $3 order by a."createdAt" desc limit ${LATEST}`);

/**
 * Links an issue to the sessions that it awaits, as far as something of them is recorded by now. A job does so within
 * seconds; whatever reads the sessions of one issue and keeps what it finds calls this before.
 */
export async function linkArrivedOf({ trx, scope }: Write, issueId: string): Promise<void> {
  await trx.query({
    name: "link-arrived",
    text: LINK_ISSUE,
    values: [scope.organizationId, LATEST, issueId],
    reads: ["recorded_session"],
    writes: ["awaitedSession", "issueSession"],
  });
}

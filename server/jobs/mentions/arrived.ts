import { knex, toStatement } from "../../../db/builder.ts";
import type { Database } from "../../../db/open.ts";
import { isNamed } from "../../resources/issue-session/link.ts";
import { eachOrganization } from "../organizations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Links to awaited sessions that one statement makes. */
const ARRIVALS = 500;
/** Sessions with something new that one look compares; those behind them are compared when they are looked through. */
const NEWEST = 2_000;
/** A session of which nothing came for so long is not awaited any more. */
const AWAITED_MS = 30 * DAY_MS;
/** A claim and the session's first commit may miss each other: each was there before the other could be seen. */
const YOUNG = "interval '10 minutes'";

/** Names in lower case that issues await, of sessions of $1 with something new. Raw SQL, as all of this: docs/database.md says why. */
const ARRIVALS_OF = `select lower(a.reference) as name from (
    select s.session_id, s.external_id from recorded_session s where s.organization_id = $1 and s.unread_from is not null
    order by s.unread_from desc, s.session_id desc limit ${NEWEST}) n
  join "awaitedSession" a on a."organizationId" = $1 and lower(a.reference) = any(array[n.session_id::text, lower(n.external_id)])`;

/**
 * Links issues of $1 to the sessions that they await, as far as something of them is recorded by now. Each table is told
 * the organization itself: tables on several nodes are planned by that alone.
 */
const linkWhere = (which: string): string => `with arrived as (
    select a."issueId", a.reference, a.kind, s.session_id from "awaitedSession" a cross join lateral (
      select s.session_id from recorded_session s where s.organization_id = $1
        and ${isNamed("a.reference")} limit 1 for key share) s
    where a."organizationId" = $1 and ${which} limit $2),
  linked as (
    insert into "issueSession" as l ("organizationId", "issueId", "sessionId", claimed, filed)
    select $1::uuid, "issueId", session_id, bool_or(kind = 'claimed'), bool_or(kind = 'filed') from arrived
    group by 1, 2, 3
    on conflict ("organizationId", "issueId", "sessionId") do update
      set claimed = l.claimed or excluded.claimed, filed = l.filed or excluded.filed)
  delete from "awaitedSession" a using arrived r where a."organizationId" = $1
    and a."issueId" = r."issueId" and a.reference = r.reference and a.kind = r.kind
  returning 1`;

const LINK_NAMED = linkWhere("lower(a.reference) = any($3::text[])");
const LINK_YOUNG = linkWhere(`a."createdAt" > now() - ${YOUNG}`);
const LINK_ALL = linkWhere("true");

const AWAITED = { table: "awaitedSession", tenant: "organizationId" };

/**
 * Links issues to sessions that were named before anything of them was recorded: those that have something new, and all
 * that is awaited since a moment ago. What is awaited for longer costs nothing.
 */
export const linkArrived = (db: Database): Promise<number> =>
  eachOrganization(db, AWAITED, async (organizationId) => {
    const found = await db.query<{ name: string }>({ text: ARRIVALS_OF, values: [organizationId] });
    const linked = await linkNamed(
      db,
      organizationId,
      found.map(({ name }) => name),
    );
    return linked + (await repeat(db, LINK_YOUNG, [organizationId, ARRIVALS]));
  });

/** Links the issues that await a session by one of some names, which are in lower case. */
export const linkNamed = async (db: Database, organizationId: string, names: readonly string[]): Promise<number> =>
  names.length > 0 ? repeat(db, LINK_NAMED, [organizationId, ARRIVALS, names]) : 0;

/** Compares all that is awaited with all that is recorded, and forgets what never came. */
export async function linkAwaited(db: Database, now = Date.now()): Promise<number> {
  const linked = await eachOrganization(db, AWAITED, (organizationId) =>
    repeat(db, LINK_ALL, [organizationId, ARRIVALS]),
  );
  const old = new Date(now - AWAITED_MS);
  await db.query(toStatement(knex("awaitedSession").where("createdAt", "<", old).delete()));
  return linked;
}

async function repeat(db: Database, text: string, values: unknown[]): Promise<number> {
  for (let sum = 0; ; ) {
    const { length } = await db.query({ text, values });
    sum += length;
    if (length < ARRIVALS) return sum;
  }
}

import { knex, toStatement } from "../../../db/builder.ts";
import { runSteps } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { arrivedSessionsSql, linkArrivedSessions as linkFound } from "../../resources/issue-session/link.ts";
import { limitSql } from "../../resources/recorded/computed-row.ts";
import { eachOrganization } from "../organizations.ts";

/** Maximum links to awaited sessions that one statement creates. */
const ARRIVALS = 500;
/**
 * Number of awaited references that are compared each hour, the latest first. Older references were compared when they
 * were among the latest.
 */
const COMPARED = 2_000;
/**
 * Maximum sessions with new events that one pass compares. Further sessions are compared when a job reads the new
 * events.
 */
const NEWEST = 2_000;
/** A session without any record for this time is no longer awaited. */
const AWAITED_MS = 30 * DAY_MS;
/**
 * A claim and the session's first commit may miss each other, because neither transaction sees the other. The job
 * therefore compares references younger than `YOUNG` again.
 */
const YOUNG = "interval '10 minutes'";

/**
 * Selects the names in lower case under which issues await sessions, for the sessions of organization $1 that have new
 * events. Raw SQL, like all statements here; docs/database.md explains why.
 */
const ARRIVALS_OF = `select lower(a.reference) as name from (
    select s.session_id, s.external_id from recorded_session s where s.organization_id = $1 and s.unread_from is not null
    order by s.unread_from desc, s.session_id desc limit ${NEWEST}) n
  join "awaitedSession" a on a."organizationId" = $1 and lower(a.reference) = any(array[n.session_id::text, lower(n.external_id)])`;

const NAMED = arrivedSessionsSql("lower(a.reference) = any($3::text[])");
const YOUNG_ONES = arrivedSessionsSql(`a."createdAt" > now() - ${YOUNG}`);
const LAST = arrivedSessionsSql(`true order by a."createdAt" desc ${limitSql(COMPARED)}`);

const AWAITED = { table: "awaitedSession", tenant: "organizationId" };

/**
 * Links issues to sessions that were named before the sessions recorded anything. Each pass compares the sessions with
 * new events, and all references that are younger than ten minutes. Older references cost nothing.
 */
export const linkIssuesToArrivedSessions = (db: Database): Promise<number> =>
  eachOrganization(db, AWAITED, async (organizationId) => {
    const found = await db.query<{ name: string }>({ text: ARRIVALS_OF, values: [organizationId] });
    const names = found.map(({ name }) => name);
    return runSteps(
      () => linkIssuesToNamedSessions(db, organizationId, names),
      () => repeat(db, YOUNG_ONES, [organizationId, ARRIVALS]),
    );
  });

/** Links the issues that await a session by one of the given lower-case names. */
export const linkIssuesToNamedSessions = async (
  db: Database,
  organizationId: string,
  names: readonly string[],
): Promise<number> => (names.length > 0 ? repeat(db, NAMED, [organizationId, ARRIVALS, names]) : 0);

/** Compares awaited references with all recorded sessions, and removes references whose session never arrived. */
export const linkIssuesToAwaitedSessions = (db: Database, now = Date.now()): Promise<number> =>
  eachOrganization(db, AWAITED, async (organizationId) => {
    const linked = await repeat(db, LAST, [organizationId, ARRIVALS]);
    const old = knex("awaitedSession")
      .where({ organizationId })
      .where("createdAt", "<", new Date(now - AWAITED_MS));
    await db.query(toStatement(old.delete()));
    return linked;
  });

async function repeat(db: Database, text: string, values: unknown[]): Promise<number> {
  for (let sum = 0; ; ) {
    const linked = await db.transaction((trx) => linkFound(trx, { text, values }));
    sum += linked;
    if (linked < ARRIVALS) return sum;
  }
}

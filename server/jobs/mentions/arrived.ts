import { knex, toStatement } from "../../../db/builder.ts";
import { sumSteps } from "../../../db/errors/parts.ts";
import type { Database } from "../../../db/open.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { arrivedWhere, linkArrived as linkFound } from "../../resources/issue-session/link.ts";
import { atMost } from "../../resources/recorded/computed-row.ts";
import { eachOrganization } from "../organizations.ts";

/** Links to awaited sessions that one statement makes. */
const ARRIVALS = 500;
/**
 * The awaited references that are compared each hour, the latest first: the rest was compared when it was the latest.
 */
const COMPARED = 2_000;
/** Sessions with new events that one pass compares; those behind them are compared when they are searched. */
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

const NAMED = arrivedWhere("lower(a.reference) = any($3::text[])");
const YOUNG_ONES = arrivedWhere(`a."createdAt" > now() - ${YOUNG}`);
const LAST = arrivedWhere(`true order by a."createdAt" desc ${atMost(COMPARED)}`);

const AWAITED = { table: "awaitedSession", tenant: "organizationId" };

/**
 * Links issues to sessions that were named before anything of them was recorded: those that have something new, and all
 * that is awaited since a moment ago. What is awaited for longer costs nothing.
 */
export const linkArrived = (db: Database): Promise<number> =>
  eachOrganization(db, AWAITED, async (organizationId) => {
    const found = await db.query<{ name: string }>({ text: ARRIVALS_OF, values: [organizationId] });
    const names = found.map(({ name }) => name);
    return sumSteps(
      () => linkNamed(db, organizationId, names),
      () => repeat(db, YOUNG_ONES, [organizationId, ARRIVALS]),
    );
  });

/** Links the issues that await a session by one of some names, which are in lower case. */
export const linkNamed = async (db: Database, organizationId: string, names: readonly string[]): Promise<number> =>
  names.length > 0 ? repeat(db, NAMED, [organizationId, ARRIVALS, names]) : 0;

/** Compares what is awaited with all that is recorded, and forgets what never came. */
export const linkAwaited = (db: Database, now = Date.now()): Promise<number> =>
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

import type { Database } from "../../../db/open.ts";
import { atMost } from "../../resources/recorded/bounds.ts";
import { eachOrganization } from "../organizations.ts";
import { keepPlace, placeOf, START } from "../positions.ts";

/** Sessions of an organization that one pass compares: so many of those that began last, and so many of all, in turn. */
const COMPARED = 500;

/** The sessions of $1 that began last, and those behind $2 by their ids. Raw SQL, as all of this: docs/database.md says why. */
const LAST = `select s.session_id, s.unread_from, s.last_received_at, s.events from recorded_session s
  where s.organization_id = $1 order by s.timestamp desc, s.session_id desc ${atMost(COMPARED)}`;
const FOLLOWING = `select s.session_id, s.unread_from, s.last_received_at, s.events from recorded_session s
  where s.organization_id = $1 and s.session_id > $2 order by s.session_id ${atMost(COMPARED)}`;

/**
 * What was added to a session without a word, by an older server beside this one, is to be looked through. Answers the
 * last of those that were compared.
 */
const findMissedOf = (some: string): string => `with slice as materialized (${some}),
  missed as (
    update recorded_session s set unread_from = '-infinity'
    where s.organization_id = $1 and s.unread_from is null and s.session_id = any(array(
      select n.session_id from slice n where n.unread_from is null
        and (select x.scanned_at >= n.last_received_at and x.events is not distinct from n.events from recorded_scan x
          where x.organization_id = $1 and x.session_id between n.session_id and n.session_id
          order by x.session_id limit 1) is not true))
    returning s.session_id)
  select n.session_id as id, (select count(*) from slice)::int as compared, (select count(*) from missed)::int as missed
  from slice n order by n.session_id desc limit 1`;

const MISSED_LAST = findMissedOf(LAST);
const MISSED_FOLLOWING = findMissedOf(FOLLOWING);

interface Compared {
  id: string;
  compared: number;
  missed: number;
}

/**
 * Finds sessions that an older server added to without a word: in each pass some of all, from where the last pass ended,
 * and those that began last, which is where an older server that runs on would add. Answers how many there were.
 */
export const findMissed = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session" }, async (organizationId) => {
    const place = await placeOf(db, organizationId, "missed");
    const [last]: Compared[] = await db.query({ text: MISSED_LAST, values: [organizationId] });
    const [next]: Compared[] = await db.query({ text: MISSED_FOLLOWING, values: [organizationId, place.id] });
    const end = next && next.compared === COMPARED ? { ...START, id: next.id } : START;
    if (end.id !== place.id) await keepPlace(db, organizationId, "missed", end);
    return (last?.missed ?? 0) + (next?.missed ?? 0);
  });

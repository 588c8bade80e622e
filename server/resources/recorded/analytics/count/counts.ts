import type { Database } from "../../../../../db/open.ts";
import { countHour } from "./hour.ts";
import { storeCounts } from "./store.ts";

/** Marks of one day that are answered at once. */
const MARKS = 20_000;

/** A marked hour of a day, and the version of the organization's counts at that moment. */
interface Marked {
  day: Date;
  hour: Date;
  mark_id: string;
  version: number;
}

/**
 * Raw SQL, as docs/database.md says why. Counts the marked hours of an organization again, day by day, the newest first.
 * Safe on any number of processes: one that was overtaken leaves the rest to the other. Answers how many days it counted.
 */
export async function countMarked(db: Database, organizationId: string): Promise<number> {
  const values = [organizationId];
  await db.query({ text: "insert into recorded_rollup (organization_id) values ($1) on conflict do nothing", values });
  let days = 0;
  for (let before: Date | undefined; ; days += 1) {
    const marks = await newestMarks(db, organizationId, before);
    const [first] = marks;
    if (!first) break;
    const times = [...new Set(marks.map(({ hour }) => hour.getTime()))];
    const hours = [];
    for (const time of times) hours.push(await countHour(db.query, organizationId, new Date(time)));
    const isStored = await storeCounts(db, { organizationId, day: first.day, version: first.version, hours, marks });
    if (!isStored) return days;
    if (marks.length < MARKS) before = first.day;
  }
  await db.query({
    text: "update recorded_rollup set counted = true where organization_id = $1 and not counted",
    values,
  });
  return days;
}

/** The marks of the newest day that has any, of those before a moment. */
const newestMarks = (db: Database, organizationId: string, before: Date | undefined): Promise<Marked[]> =>
  db.query({
    name: "newest-marks",
    text: `with newest as (select date_trunc('day', hour, 'UTC') as day from recorded_mark
        where organization_id = $1 and hour < $2::timestamptz order by hour desc limit 1)
      select n.day, m.hour, m.mark_id, r.version from newest n
        join recorded_mark m on m.organization_id = $1 and m.hour >= n.day and m.hour < n.day + interval '1 day'
        join recorded_rollup r on r.organization_id = $1
      order by m.hour limit ${MARKS}`,
    values: [organizationId, before ?? "infinity"],
  });

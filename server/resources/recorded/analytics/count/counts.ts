import type { Database } from "../../../../../db/open.ts";
import { countHour } from "./hour.ts";
import { storeCounts } from "./store.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Marks of one day that are answered at once; the rest has its turn in the next round. */
const MARKS = 20_000;

/**
 * Raw SQL, as docs/database.md says why. Counts again the hours of an organization that commits marked, and then days of
 * events that nobody has counted yet, the newest first. Safe on any number of processes. Answers how many days it counted.
 */
export async function countOrganization(db: Database, organizationId: string): Promise<number> {
  let days = 0;
  for (let day = await newestMarked(db, organizationId, null); day; ) {
    if (!(await countDay(db, organizationId, day))) return days;
    days += 1;
    day = await newestMarked(db, organizationId, day);
  }
  while (await countNewestDay(db, organizationId)) days += 1;
  return days;
}

const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** The newest day with a mark, before another day. */
async function newestMarked(db: Database, organizationId: string, before: Date | null): Promise<Date | undefined> {
  const [last]: { hour: Date }[] = await db.query({
    text: `select hour from recorded_mark where organization_id = $1 and hour < coalesce($2::timestamptz, 'infinity')
      order by hour desc limit 1`,
    values: [organizationId, before],
  });
  return last && dayOf(last.hour);
}

interface State {
  version: number;
  /** Null: nothing is counted yet. */
  since: Date | null;
  /** True when everything is counted. */
  whole: boolean;
}

/** The progress of counting in an organization. It is noted at the first read. */
async function stateOf(db: Database, organizationId: string): Promise<State> {
  const [state]: State[] = await db.query({
    text: `select version, case when isfinite(uncounted_before) then uncounted_before end as since,
      uncounted_before = '-infinity' as whole from recorded_rollup where organization_id = $1`,
    values: [organizationId],
  });
  if (state) return state;
  await db.query({
    text: `insert into recorded_rollup (organization_id, version, uncounted_before) values ($1, 0, 'infinity') on conflict do nothing`,
    values: [organizationId],
  });
  return { version: 0, since: null, whole: false };
}

/** Counts the marked hours of a day. Hours that nobody counted before lose their marks alone: readers read them whole. */
async function countDay(db: Database, organizationId: string, day: Date): Promise<boolean> {
  const { version, since, whole } = await stateOf(db, organizationId);
  const marks: { hour: Date; mark_id: string }[] = await db.query({
    text: `select hour, mark_id from recorded_mark where organization_id = $1 and hour >= $2 and hour < $3 limit ${MARKS}`,
    values: [organizationId, day, new Date(day.getTime() + DAY_MS)],
  });
  const isCounted = whole || (since !== null && day >= since);
  const times = isCounted ? [...new Set(marks.map(({ hour }) => hour.getTime()))] : [];
  const hours = [];
  for (const time of times) hours.push(await countHour(db.query, organizationId, new Date(time)));
  return storeCounts(db, { organizationId, day, version, hours, marks });
}

/** Counts the newest day that nobody has counted. Answers whether there may be more. */
async function countNewestDay(db: Database, organizationId: string): Promise<boolean> {
  const { version, since, whole } = await stateOf(db, organizationId);
  if (whole) return false;
  const [last]: { day: Date | null }[] = await db.query({
    text: `select (select timestamp from recorded_event where organization_id = $1
      and timestamp < coalesce($2::timestamptz, 'infinity') order by timestamp desc limit 1) as day`,
    values: [organizationId, since],
  });
  if (!last?.day) return endCounting(db, organizationId, version);
  const day = dayOf(last.day);
  const hours = [];
  for (let at = day.getTime(); at < day.getTime() + DAY_MS; at += HOUR_MS)
    hours.push(await countHour(db.query, organizationId, new Date(at)));
  return storeCounts(db, { organizationId, day, version, hours, marks: [], since: true });
}

/** Notes that everything is counted: what comes from now on is marked. */
async function endCounting(db: Database, organizationId: string, version: number): Promise<false> {
  await db.query({
    text: `update recorded_rollup set uncounted_before = '-infinity', version = version + 1
      where organization_id = $1 and version = $2`,
    values: [organizationId, version],
  });
  return false;
}

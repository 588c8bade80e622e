import type { Database } from "../../../../../db/open.ts";
import { DAY_MS } from "../../../../../formats/time.ts";
import { NO_ID } from "../../../../id.ts";
import { countHour, type Query } from "./hour.ts";
import { createMarkHoursStatements } from "./marks.ts";
import {
  FAILURE_COLUMNS_SQL,
  failureRows,
  failureRowsSql,
  storeCounts,
  TOOL_DAY_ROWS_SQL,
  toolHourRowsSql,
  toolRows,
} from "./store.ts";
import {
  USAGE_DAY_COLUMNS_SQL,
  USAGE_DAY_ROWS_SQL,
  USAGE_HOUR_COLUMNS_SQL,
  usageHourRowsSql,
  usageRows,
} from "./usage.ts";

/** Maximum number of marks of a day that are processed at once. */
const MARKS = 20_000;

/**
 * A mark on an hour, whose counts must be computed again. `version` is the version of the organization's counts when
 * the mark was read.
 */
interface Marked {
  day: Date;
  hour: Date;
  mark_id: string;
  version: number;
}

/**
 * Raw SQL; docs/database.md gives the reason. Counts the marked hours of an organization again, day by day, newest
 * first. Any number of processes may run this concurrently: if another process has stored counts meanwhile, this
 * process stops and leaves the remaining hours to the other process. Returns the number of counted days.
 */
export async function countMarkedHoursOfOrganization(db: Database, organizationId: string): Promise<number> {
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

/** Returns the marks of the newest marked day before a time. */
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

/** Raw SQL; docs/database.md gives the reason. Finds the next hour with events or counts after time $2. */
const NEXT = `select hour::text as id from (
    (select date_trunc('hour', e.timestamp, 'UTC') as hour from recorded_event e
      where e.organization_id = $1 and e.timestamp >= $2::timestamptz + interval '1 hour' order by e.timestamp limit 1)
    union all (select hour from recorded_tool_hour where organization_id = $1 and hour > $2::timestamptz order by hour limit 1)
    union all (select hour from recorded_usage_hour where organization_id = $1 and hour > $2::timestamptz order by hour limit 1)
    union all (select hour from recorded_failure where organization_id = $1 and hour > $2::timestamptz order by hour limit 1)) n
  order by n.hour limit 1`;

/**
 * Returns the version of an organization's counts. Returns no row if any hour of the day of $2 is marked, because the
 * counts of the day are then outdated.
 */
const COUNTED = `select version from recorded_rollup where organization_id = $1
  and not exists (select from recorded_mark m where m.organization_id = $1
    and m.hour >= date_trunc('day', $2::timestamptz, 'UTC') and m.hour < date_trunc('day', $2::timestamptz, 'UTC') + interval '1 day')`;

const TOOL = "tool, hour, calls, failures, buckets, bucket_calls, bucket_failures, sessions";
const DAY = "tool, calls, failures, buckets, bucket_calls, bucket_failures, hour_calls, hour_failures";
const differs = (made: string, kept: string): string =>
  `exists ((${made} except all ${kept}) union all (${kept} except all ${made}))`;
/**
 * SQL condition: the stored counts of hour $2 differ from new counts, which are passed in $3 (tools), $4 (failures) and
 * $5 (usage). A separate statement compares the counts of the day with the counts of its hours.
 */
const HOUR_DIFFERS = `select ${differs(
  `select ${TOOL} from ${toolHourRowsSql("$3")}`,
  `select ${TOOL} from recorded_tool_hour where organization_id = $1 and hour = $2`,
)} or ${differs(
  `select ${FAILURE_COLUMNS_SQL} from ${failureRowsSql("$4")}`,
  `select ${FAILURE_COLUMNS_SQL} from recorded_failure where organization_id = $1 and hour = $2`,
)} or ${differs(
  `select ${USAGE_HOUR_COLUMNS_SQL} from ${usageHourRowsSql("$5")}`,
  `select ${USAGE_HOUR_COLUMNS_SQL} from recorded_usage_hour where organization_id = $1 and hour = $2`,
)} as differs`;
const DAY_DIFFERS = `select ${differs(
  `(${TOOL_DAY_ROWS_SQL})`,
  `select ${DAY} from recorded_tool_day where organization_id = $1 and day = $2`,
)} or ${differs(
  `(${USAGE_DAY_ROWS_SQL})`,
  `select ${USAGE_DAY_COLUMNS_SQL} from recorded_usage_day where organization_id = $1 and day = $2`,
)} as differs`;

/**
 * Compares the stored counts of an hour with the events, and the stored counts of the day with the day's hours. No
 * difference is reported if a commit has marked an hour of the day, or if another process has counted meanwhile, which
 * changes the version.
 */
export const hourCountsComparison = {
  value: "counts of an hour",
  async next(query: Query, organizationId: string, after: string): Promise<string[]> {
    const values = [organizationId, after === NO_ID ? "-infinity" : after];
    return (await query<{ id: string }>({ text: NEXT, values })).map(({ id }) => id);
  },
  async differing(query: Query, organizationId: string, hours: string[]): Promise<string[]> {
    const wrong: string[] = [];
    for (const hour of hours) if (await hourDiffers(query, organizationId, hour)) wrong.push(hour);
    return wrong;
  },
  async repair({ db }: { db: Database }, organizationId: string, hours: string[]): Promise<number> {
    for (const marks of createMarkHoursStatements(organizationId, hours.map(Date.parse))) await db.query(marks);
    await countMarkedHoursOfOrganization(db, organizationId);
    return hours.length;
  },
};

async function hourDiffers(query: Query, organizationId: string, hour: string): Promise<boolean> {
  const version = async () =>
    (await query<{ version: string }>({ text: COUNTED, values: [organizationId, hour] }))[0]?.version;
  const before = await version();
  if (before === undefined) return false;
  const counts = [await countHour(query, organizationId, new Date(hour))];
  const lists = [toolRows(counts), failureRows(counts), usageRows(counts)].map((rows) => JSON.stringify(rows));
  const day = new Date(Math.floor(Date.parse(hour) / DAY_MS) * DAY_MS);
  const asked = [
    await query<{ differs: boolean }>({ text: HOUR_DIFFERS, values: [organizationId, hour, ...lists] }),
    await query<{ differs: boolean }>({ text: DAY_DIFFERS, values: [organizationId, day] }),
  ];
  return asked.some(([row]) => row?.differs) && (await version()) === before;
}

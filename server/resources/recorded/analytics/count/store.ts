import type { Database, Transaction } from "../../../../../db/open.ts";
import type { HourCounts } from "./hour.ts";
import {
  USAGE_DAY_COLUMNS_SQL,
  USAGE_DAY_ROWS_SQL,
  USAGE_HOUR_COLUMNS_SQL,
  usageHourRowsSql,
  usageRows,
} from "./usage.ts";

/**
 * New counts for hours of a day, the version of the organization's counts before this count, and the marks that this
 * count has processed.
 */
export interface CountedDay {
  organizationId: string;
  day: Date;
  version: number;
  hours: readonly HourCounts[];
  marks: readonly { hour: Date; mark_id: string }[];
}

/**
 * Raw SQL: rows are passed as a JSON list. Replaces stored counts. Stores nothing if another process has stored
 * counts in the meantime; the marks then remain. Returns true if the counts were stored.
 */
export async function storeCounts(db: Database, counted: CountedDay): Promise<boolean> {
  return db.transaction(async (trx) => {
    if (!(await takeVersion(trx, counted))) return false;
    await dropMarks(trx, counted);
    await putTools(trx, counted);
    await putFailures(trx, counted);
    await putUsage(trx, counted);
    await putDay(trx, counted);
    return true;
  });
}

async function takeVersion(trx: Transaction, { organizationId, version }: CountedDay): Promise<boolean> {
  const rows = await trx.query({
    text: "update recorded_rollup set version = version + 1 where organization_id = $1 and version = $2 returning version",
    values: [organizationId, version],
  });
  return rows.length === 1;
}

const dropMarks = (trx: Transaction, { organizationId, marks }: CountedDay): Promise<unknown> =>
  trx.query({
    text: `delete from recorded_mark m using unnest($2::timestamptz[], $3::uuid[]) n (hour, mark_id)
      where m.organization_id = $1 and m.hour = n.hour and m.mark_id = n.mark_id`,
    values: [organizationId, marks.map(({ hour }) => hour), marks.map(({ mark_id }) => mark_id)],
  });

async function putTools(trx: Transaction, { organizationId, hours }: CountedDay): Promise<void> {
  const times = hours.map(({ hour }) => hour);
  await trx.query({
    text: "delete from recorded_tool_hour where organization_id = $1 and hour = any($2::timestamptz[])",
    values: [organizationId, times],
  });
  const rows = toolRows(hours);
  if (rows.length === 0) return;
  await trx.query({
    text: `insert into recorded_tool_hour select $1, n.* from ${toolHourRowsSql("$2")}`,
    values: [organizationId, JSON.stringify(rows)],
  });
}

/**
 * `toolRows` returns rows of recorded_tool_hour without the organization. `toolHourRowsSql` returns SQL that reads a JSON list
 * of such rows.
 */
export const toolRows = (hours: readonly HourCounts[]) =>
  hours.flatMap(({ hour, tools }) =>
    [...tools].map(([tool, { buckets, sessions }]) => {
      const sorted = [...buckets].sort(([a], [b]) => a - b);
      const [calls, failures] = [sorted.map(([, [all]]) => all), sorted.map(([, [, failed]]) => failed)];
      const lists = { buckets: sorted.map(([bucket]) => bucket), bucket_calls: calls, bucket_failures: failures };
      return { tool, hour, calls: sum(calls), failures: sum(failures), ...lists, sessions };
    }),
  );
export const toolHourRowsSql = (
  list: string,
): string => `jsonb_to_recordset(${list}::jsonb) n (tool text, hour timestamptz,
  calls bigint, failures bigint, buckets smallint[], bucket_calls integer[], bucket_failures integer[], sessions integer[])`;

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/**
 * Replaces the stored failures of the counted hours. Groups that gain or lose failures become stale until their sums
 * are computed again.
 */
async function putFailures(trx: Transaction, { organizationId, hours }: CountedDay): Promise<void> {
  const times = hours.map(({ hour }) => hour);
  const rows = failureRows(hours);
  await trx.query({
    text: `with gone as (delete from recorded_failure where organization_id = $1 and hour = any($2::timestamptz[]) returning group_id)
      update recorded_failure_group set stale = true
      where organization_id = $1 and group_id in (select group_id from gone)`,
    values: [organizationId, times],
  });
  if (rows.length === 0) return;
  const list = JSON.stringify(rows);
  await trx.query({ text: GROUPS, values: [organizationId, list] });
  await trx.query({
    text: `insert into recorded_failure (organization_id, ${FAILURE_COLUMNS_SQL}) select $1, ${FAILURE_COLUMNS_SQL} from ${failureRowsSql("$2")}`,
    values: [organizationId, list],
  });
}

/**
 * `failureRows` returns rows of recorded_failure, with tools and messages. `failureRowsSql` returns SQL that reads a JSON
 * list of such rows. `FAILURE_COLUMNS_SQL` names the columns of the table.
 */
export const failureRows = (hours: readonly HourCounts[]) =>
  hours.flatMap(({ hour, failures }) => [...failures.values()].map((each) => ({ ...each, hour })));
export const failureRowsSql = (
  list: string,
): string => `jsonb_to_recordset(${list}::jsonb) n (group_id uuid, hour timestamptz,
  session_id uuid, failures integer, first_at timestamptz, last_at timestamptz, event_id uuid, tool text, message text)`;
export const FAILURE_COLUMNS_SQL = "group_id, hour, session_id, failures, first_at, last_at, event_id";

const GROUPS = `
  insert into recorded_failure_group (organization_id, group_id, tool, message, failures, sessions, users,
    first_at, last_at, event_id, session_id, stale)
  select distinct on (group_id) $1::uuid, group_id, tool, message, 0, 0, 0, first_at, last_at, event_id, session_id, true
    from ${failureRowsSql("$2")} order by group_id, last_at desc
  on conflict (organization_id, group_id) do update set stale = true`;

async function putUsage(trx: Transaction, { organizationId, hours }: CountedDay): Promise<void> {
  const times = hours.map(({ hour }) => hour);
  await trx.query({
    text: "delete from recorded_usage_hour where organization_id = $1 and hour = any($2::timestamptz[])",
    values: [organizationId, times],
  });
  const rows = usageRows(hours);
  if (rows.length === 0) return;
  await trx.query({
    text: `insert into recorded_usage_hour (organization_id, ${USAGE_HOUR_COLUMNS_SQL}) select $1, ${USAGE_HOUR_COLUMNS_SQL} from ${usageHourRowsSql("$2")}`,
    values: [organizationId, JSON.stringify(rows)],
  });
}

async function putDay(trx: Transaction, { organizationId, day }: CountedDay): Promise<void> {
  const values = [organizationId, day];
  await trx.query({ text: "delete from recorded_tool_day where organization_id = $1 and day = $2", values });
  await trx.query({ name: "count-day", text: DAY, values });
  await trx.query({ text: "delete from recorded_usage_day where organization_id = $1 and day = $2", values });
  await trx.query({
    name: "count-usage-day",
    text: `insert into recorded_usage_day (organization_id, day, ${USAGE_DAY_COLUMNS_SQL}) select $1, $2, d.* from (${USAGE_DAY_ROWS_SQL}) d`,
    values,
  });
}

/**
 * SQL that computes the counts of a day from the day's hours. The sums per bucket are computed first, so that the lists
 * per bucket are in the order of the buckets.
 */
const DAY_PARTS = `with hours as (select tool, hour, calls, failures, buckets, bucket_calls, bucket_failures from recorded_tool_hour
    where organization_id = $1 and hour >= $2 and hour < $2::timestamptz + interval '1 day'),
  sums as (select tool, b.bucket, sum(b.calls)::integer as calls, sum(b.failures)::integer as failures from hours h
    cross join lateral unnest(h.buckets, h.bucket_calls, h.bucket_failures) b (bucket, calls, failures) group by 1, 2),
  lists as (select tool, array_agg(bucket order by bucket) as buckets, array_agg(calls order by bucket) as calls,
    array_agg(failures order by bucket) as failures from sums group by tool),
  courses as (select t.tool, sum(coalesce(h.calls, 0)) as calls, sum(coalesce(h.failures, 0)) as failures,
      array_agg(coalesce(h.calls, 0)::integer order by n) as hour_calls,
      array_agg(coalesce(h.failures, 0)::integer order by n) as hour_failures
    from (select distinct tool from hours) t cross join generate_series(0, 23) n
    left join hours h on h.tool = t.tool and h.hour = $2::timestamptz + n * interval '1 hour' group by t.tool)`;
/** SQL that computes the rows of recorded_tool_day for day $2, without the columns for the organization and the day. */
const DAY_ROWS = `select tool, c.calls, c.failures, l.buckets, l.calls, l.failures, c.hour_calls, c.hour_failures
  from lists l join courses c using (tool)`;
export const TOOL_DAY_ROWS_SQL = `${DAY_PARTS} ${DAY_ROWS}`;
const DAY = `${DAY_PARTS}
  insert into recorded_tool_day (organization_id, day, tool, calls, failures, buckets, bucket_calls, bucket_failures,
    hour_calls, hour_failures)
  select $1, $2, d.* from (${DAY_ROWS}) d`;

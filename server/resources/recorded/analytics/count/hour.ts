import type { Statement } from "../../../../../db/open.ts";
import { HOUR_MS } from "../../../../../formats/time.ts";
import { failureGroupIdSql, normalizedFailureMessageSql, storedFailureMessageSql } from "../../failures/message.ts";
import { isToolCallSql } from "../../kinds.ts";
import { latencyBucketSql } from "../buckets.ts";
import { MAX_HASHES, sessionHashSql } from "../session-hashes.ts";
import {
  addUsage,
  USAGE_COUNT_CTES_SQL,
  USAGE_COUNTS_JSON_SQL,
  USAGE_EVENT_COLUMNS_SQL,
  type UsageCounts,
} from "./usage.ts";

/** Function that runs a statement, inside or outside a transaction. */
export type Query = <Row>(statement: Statement) => Promise<Row[]>;

/** Maximum number of events per statement, so that no reader waits long on the embedded engine. */
const EVENTS = 20_000;

/** Counts of a tool's calls: calls and failures per latency bucket, and hashes of the sessions with these calls. */
export interface ToolCounts {
  buckets: Map<number, [calls: number, failures: number]>;
  sessions: number[];
}

/** Equal failures of a session. */
export interface FailureCount {
  group_id: string;
  tool: string;
  message: string;
  session_id: string;
  failures: number;
  first_at: string;
  last_at: string;
  event_id: string;
}

/** Sums of the events of an hour. */
export interface HourCounts {
  hour: Date;
  tools: Map<string, ToolCounts>;
  failures: Map<string, FailureCount>;
  usage: UsageCounts;
}

interface Slice {
  until: Date;
  more: boolean;
  calls: [tool: string, bucket: number, calls: number, failures: number][];
  sessions: [tool: string, hashes: number[]][];
  failures: FailureCount[];
  usage: Parameters<typeof addUsage>[1];
}

/**
 * Counts the events of an hour in slices. Events that are stored during the count may be missing. The commit that
 * stores the events leaves a mark on the hour, so the hour is then counted again.
 */
export async function countHour(query: Query, organizationId: string, hour: Date): Promise<HourCounts> {
  const counts: HourCounts = { hour, tools: new Map(), failures: new Map(), usage: new Map() };
  const end = new Date(hour.getTime() + HOUR_MS);
  for (let from: Date | undefined = hour; from; ) {
    const [slice]: Slice[] = await query({
      name: "count-hour",
      text: COUNT,
      values: [organizationId, from, end],
    });
    if (slice) add(counts, slice);
    from = slice?.more ? slice.until : undefined;
  }
  return counts;
}

function add(counts: HourCounts, { calls, sessions, failures, usage }: Slice): void {
  addUsage(counts.usage, usage);
  for (const [tool, bucket, times, failed] of calls) {
    const { buckets } = toolIn(counts, tool);
    const [before, failedBefore] = buckets.get(bucket) ?? [0, 0];
    buckets.set(bucket, [before + times, failedBefore + failed]);
  }
  for (const [tool, hashes] of sessions) {
    const known = toolIn(counts, tool);
    known.sessions = [...new Set([...known.sessions, ...hashes])].sort((a, b) => a - b).slice(0, MAX_HASHES);
  }
  // A later slice contains later failures.
  for (const each of failures) {
    const key = each.group_id + each.session_id;
    const before = counts.failures.get(key);
    counts.failures.set(
      key,
      before ? { ...each, failures: before.failures + each.failures, first_at: before.first_at } : each,
    );
  }
}

function toolIn({ tools }: HourCounts, tool: string): ToolCounts {
  const found = tools.get(tool) ?? { buckets: new Map(), sessions: [] };
  tools.set(tool, found);
  return found;
}

const MESSAGE = normalizedFailureMessageSql(storedFailureMessageSql("e"));

/**
 * Raw SQL: shares fragments with the planner. A slice contains all events from one time up to, but not including,
 * another time, so no event is in two slices.
 */
const COUNT = `
  with edge as (select coalesce((select greatest(e.timestamp, $2::timestamptz + interval '1 millisecond') from recorded_event e
      where e.organization_id = $1 and e.timestamp >= $2 and e.timestamp < $3 order by e.timestamp offset ${EVENTS} limit 1), $3::timestamptz) as until),
  seen as materialized (select e.primitive_name as tool, ${isToolCallSql("e")} as called, e.success, e.latency,
      e.event_id, ${USAGE_EVENT_COLUMNS_SQL} from recorded_event e
    where e.organization_id = $1 and e.timestamp >= $2 and e.timestamp < (select until from edge)),
  calls as (select tool, ${latencyBucketSql("latency")} as bucket, count(*) as calls, count(*) filter (where not success) as failures
    from seen where called group by 1, 2),
  hashes as (select tool, hash, row_number() over (partition by tool order by hash) as place
    from (select distinct tool, ${sessionHashSql("session_id")} as hash from (select distinct tool, session_id from seen where called) s) h),
  said as (select s.tool, ${MESSAGE} as message, s.session_id, s.timestamp, s.event_id from seen s
    join recorded_event e on e.organization_id = $1 and e.event_id = s.event_id where not s.success),
  failures as (select ${failureGroupIdSql("$1::uuid", "tool", "message")} as group_id, min(tool) as tool, min(message) as message, session_id,
      count(*) as failures, min(timestamp) as first_at, max(timestamp) as last_at,
      (array_agg(event_id order by timestamp desc, event_id desc))[1] as event_id from said group by 1, session_id),
  ${USAGE_COUNT_CTES_SQL}
  select until, until < $3 as more,
    coalesce((select json_agg(json_build_array(tool, bucket, calls, failures)) from calls), '[]') as calls,
    coalesce((select json_agg(json_build_array(tool, list)) from (select tool, json_agg(hash order by hash) as list
      from hashes where place <= ${MAX_HASHES} group by tool) l), '[]') as sessions,
    coalesce((select json_agg(to_json(f)) from failures f), '[]') as failures,
    ${USAGE_COUNTS_JSON_SQL} as usage
  from edge`;

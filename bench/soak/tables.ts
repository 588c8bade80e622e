import { runSql } from "../../test/support/db/postgres.ts";

interface Held {
  rows: number;
  bytes: number;
}

/** The growth of a table, and the rule that deletes its rows. */
export interface Growth {
  table: string;
  rows: number;
  /** Rows per hour in the first and in the second half of the time. */
  pace: [first: number, second: number];
  bytesARow: number;
  ends: string;
}

const STORED = "their owner, or the trash";
const SESSIONS = "EVENT_RETENTION_DAYS";
const SPENT = "the hourly upkeep, when they are spent";

/**
 * The rule that deletes the rows of each table that may grow. A growing table without a rule has no limit, and
 * the soak fails.
 */
const ENDS: Record<string, string> = {
  ...named(
    "organization account user team teamKey workflowState projectStatus apiKey ingestKey webhook issue issueText",
    STORED,
  ),
  ...named("issueAlias issueLabel issueLabelLink comment sync issueRelation issueLease", STORED),
  change: "CHANGE_RETENTION_DAYS",
  delivery: "the hourly upkeep, after 30 days",
  idempotency: "the hourly upkeep, after a day",
  clientId: "a bound for each organization",
  ...named("login refreshToken throttle audit oauthClient oauthCode oauthToken oauthGrant welcome", SPENT),
  ...named("recorded_user recorded_session recorded_event recorded_delta recorded_open", SESSIONS),
  ...named(
    "recorded_part recorded_observation recorded_unfolded sessionLink recorded_tool_hour recorded_tool_day",
    SESSIONS,
  ),
  ...named("recorded_rollup recorded_mark", "its organization, one or a few rows each"),
  issueCount: "what is counted, once that comes to nothing",
};

function named(names: string, ends: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, ends]));
}

/** Rows and bytes of every table, including indexes. */
export async function readTableSizes(url: string): Promise<Map<string, Held>> {
  const tables = await runSql(
    url,
    `select relname as name, pg_total_relation_size(oid)::bigint as bytes,
            (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', relname), false, true, '')))[1]::text as rows
       from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(
    tables.map(({ name, rows, bytes }) => [String(name), { rows: Number(rows), bytes: Number(bytes) }] as const),
  );
}

/**
 * The growth between three points in time, largest first. Tables whose rows are updated in place, and that grow only
 * in bytes, are judged by their bytes.
 */
export function computeGrowth(moments: readonly Map<string, Held>[], hours: number) {
  const [first, half, last] = moments;
  if (!first || !half || !last) throw new Error("three moments are needed");
  const none: Held = { rows: 0, bytes: 0 };
  const pace = (from: Held, to: Held) => Math.round((to.rows - from.rows) / (hours / 2));
  const grown = [...last].flatMap(([table, now]): Growth[] => {
    const [then, middle] = [first.get(table) ?? none, half.get(table) ?? none];
    if (now.rows <= then.rows) return [];
    const ends = ENDS[table] ?? "NOTHING";
    const bytesARow = Math.round(now.bytes / now.rows);
    return [{ table, rows: now.rows - then.rows, pace: [pace(then, middle), pace(middle, now)], bytesARow, ends }];
  });
  const swollen = [...last].flatMap(([table, { rows, bytes }]) => {
    const then = half.get(table) ?? none;
    return rows <= then.rows && bytes > then.bytes * 1.5 + 1_000_000 ? [{ table, was: then.bytes, is: bytes }] : [];
  });
  const unbounded = grown.filter(({ ends }) => ends === "NOTHING").map(({ table }) => table);
  return { grown: grown.toSorted((a, b) => b.rows - a.rows), swollen, unbounded };
}

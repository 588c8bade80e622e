import type { Statement } from "../../../../../db/open.ts";
import { HOUR_MS } from "../../../../../formats/time.ts";
import { NO_ID, newId } from "../../../../id.ts";

/**
 * Raw SQL; docs/database.md gives the reason. Inserts a mark for each given organization and hour. No other code
 * writes marks.
 */
const mark = (organizationsAndHours: string, id: string): string =>
  `insert into recorded_mark (organization_id, hour, mark_id) select o, h, ${id} from ${organizationsAndHours} n (o, h)`;

/** Fields of a stored event that determine which hour is marked. */
interface Stored {
  organization_id: string;
  row: { timestamp: number };
}

/**
 * SQL that marks the hours of the given events, in the transaction that stores the events. A job counts the marked
 * hours again; until then, readers read the events of these hours. The SQL contains all values as literals, only ids
 * and times, because the SQL is sent in the same message as a COPY. Undefined without events.
 */
export function insertHourMarksSql(events: readonly Stored[]): string | undefined {
  const hours = hoursOf(events);
  if (hours.length === 0) return undefined;
  const list = (type: string, read: (hour: Hour) => string) => `'{${hours.map(read).join()}}'::${type}[]`;
  const organizations = list("uuid", ([organizationId]) => organizationId);
  const times = list("timestamptz", ([, hour]) => new Date(hour * HOUR_MS).toISOString());
  return mark(`unnest(${organizations}, ${times})`, `'${newId()}'`);
}

/** The id of an organization, and an hour as a number of hours since 1970. */
type Hour = [string, number];

function hoursOf(events: readonly Stored[]): Hour[] {
  const hours = new Map<string, Hour>();
  let at: Hour = ["", Number.NaN];
  for (const { organization_id, row } of events) {
    const hour = Math.floor(row.timestamp / HOUR_MS);
    // Skips an event with the same organization and hour as the previous event, because most events of a commit have
    // the same organization and hour.
    if (at[1] === hour && at[0] === organization_id) continue;
    at = [organization_id, hour];
    hours.set(organization_id + hour, at);
  }
  return [...hours.values()];
}

const MARK_HOURS = mark("(select $1::uuid, to_timestamp(h * 3600) from unnest($2::float8[]) h)", "$3::uuid");

/**
 * Returns the statements that mark an organization's hours in which the given times lie. Times are in milliseconds
 * since 1970.
 */
export function createMarkHoursStatements(organizationId: string, moments: readonly number[]): Statement[] {
  const hours = new Set(moments.map((at) => Math.floor(at / HOUR_MS)));
  if (hours.size === 0) return [];
  return [{ name: "mark-hours", text: MARK_HOURS, values: [organizationId, [...hours], newId()] }];
}

/** Tables derived from recorded events. A restore empties these tables, and jobs fill the tables again. */
export const COUNTED_TABLES: readonly string[] = [
  "mark",
  "tool_hour",
  "tool_day",
  "usage_hour",
  "usage_day",
  "failure",
].map((name) => `recorded_${name}`);

/**
 * Statements that delete all counts and mark every hour with events, in all organizations, so that everything is
 * counted again. Used after a restore.
 */
export const MARK_EVERYTHING_STATEMENTS: readonly string[] = [
  ...COUNTED_TABLES.map((table) => `delete from ${table}`),
  mark(
    "(select distinct organization_id, date_trunc('hour', timestamp, 'UTC') from recorded_event)",
    `'${NO_ID}'::uuid`,
  ),
  "update recorded_rollup set counted = false",
];

/**
 * Raw SQL. Marks all hours with events of the given sessions. Needed when a value of a session by which events are
 * counted has changed, such as the agent or the user.
 */
export const createMarkSessionsStatements = (organizationId: string, sessions: readonly string[]): Statement[] =>
  sessions.length === 0
    ? []
    : [{ name: "mark-sessions", text: MARK_SESSIONS, values: [organizationId, sessions, newId()] }];

const MARK_SESSIONS = mark(
  `(select distinct $1::uuid, date_trunc('hour', e.timestamp, 'UTC') from unnest($2::uuid[]) s (id)
    join recorded_event e on e.organization_id = $1 and e.session_id = s.id)`,
  "$3::uuid",
);

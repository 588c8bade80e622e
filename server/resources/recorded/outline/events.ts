import { isGiven } from "../../../read/connection/page.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, getArgumentShape } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { bindArgument } from "../computed-row.ts";

/**
 * Delay in ms after which an event counts as late: more time passed between the event's own time and its
 * arrival at the server, or between the start of the event and its last change.
 */
export const LATE_MS = 5 * 60 * 1000;
/** Maximum difference between the clocks of servers, plus the time between a commit's timestamp and its end. */
const SLACK = "interval '1 minute'";

/**
 * SQL for a time. All events of a session that were received or changed after a given moment began at or after this
 * time, apart from open events. Deltas that are not rolled up contain the earliest time of their events. If the session
 * has had late events since the moment, the time is `-infinity`, and the whole session is read.
 */
const newFrom = (tenant: string, session: string, moment: string): string => `(select least(
    ${moment} - interval '${LATE_MS} milliseconds',
    (select min(d.began_at) from recorded_delta d
      where d.organization_id = ${tenant} and d.session_id = ${session}),
    case when s.late_at + ${SLACK} > ${moment} then '-infinity'::timestamptz end)
  from recorded_session s where s.organization_id = ${tenant} and s.session_id = ${session})`;

/**
 * SQL for the events of a session that must be read. With `receivedAfter`, only events that may be new since then are
 * read: events that began after a computed time, and open events.
 */
export function outlineEventsSql(build: StatementBuild, selection: Selection): string {
  if (!isGiven(getArgumentShape(build, selection).receivedAfter)) return "recorded_event";
  const tenant = bindOrganization(build);
  const session = bindArgument(build, selection, "sessionId", "uuid", ({ sessionId }) => sessionId);
  const moment = bindArgument(build, selection, "receivedAfter", "timestamptz", (given) => given.receivedAfter);
  const from = newFrom(tenant, session, moment);
  return `(select n.* from recorded_event n
      where n.organization_id = ${tenant} and n.session_id = ${session} and n.timestamp >= ${from}
    union all select n.* from recorded_open o join recorded_event n on n.organization_id = ${tenant} and n.event_id = o.event_id
      where o.organization_id = ${tenant} and o.session_id = ${session} and n.timestamp < ${from})`;
}

/** Returns the SQL conditions for the events of a page, without the condition on the searched text. */
export function outlineConditions(build: StatementBuild, selection: Selection): string {
  const args = getArgumentShape(build, selection);
  const parts = [
    `e.organization_id = ${bindOrganization(build)}`,
    `e.session_id = ${bindArgument(build, selection, "sessionId", "uuid", ({ sessionId }) => sessionId)}`,
  ];
  if (isGiven(args.after)) {
    const after = bindArgument(build, selection, "after", "uuid", (given) => given.after);
    parts.push(`(e.timestamp, e.event_id) > (select a.timestamp, a.event_id from recorded_event a
      where a.organization_id = ${bindOrganization(build)} and a.event_id = ${after})`);
  }
  if (isGiven(args.receivedAfter)) {
    const moment = bindArgument(build, selection, "receivedAfter", "timestamptz", (given) => given.receivedAfter);
    parts.push(
      `(e.received_at > ${moment} or e.open or e.timestamp + e.latency * interval '1 millisecond' > ${moment})`,
    );
  }
  return parts.join(" and ");
}

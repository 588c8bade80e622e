import { isGiven } from "../../../read/connection/page.ts";
import type { Build } from "../../../read/entity.ts";
import { organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { bound } from "../computed-row.ts";

/** An event is late when it was recorded so long after it happened, or changed so long after it began. */
export const LATE_MS = 5 * 60 * 1000;
/** Clocks of servers may differ by this, and a commit may end this much after the moment it is stamped with. */
const SLACK = "interval '1 minute'";

/**
 * SQL of the moment from which on events of a session stand that were received or changed after another; open ones may stand
 * before it. What is not rolled up says itself how far back it goes, and so far back as its first event goes a session to
 * which something late came.
 */
const newFrom = (tenant: string, session: string, moment: string): string => `(select least(
    ${moment} - interval '${LATE_MS} milliseconds',
    (select min(d.began_at) from recorded_delta d
      where d.organization_id = ${tenant} and d.session_id = ${session}),
    case when s.late_at + ${SLACK} > ${moment} then '-infinity'::timestamptz end)
  from recorded_session s where s.organization_id = ${tenant} and s.session_id = ${session})`;

/**
 * The events of a session that are read: all of them, or those that may be new since a moment. These began from some
 * moment on, or are open.
 */
export function events(build: Build, selection: Selection): string {
  if (!isGiven(shapeOf(build, selection).receivedAfter)) return "recorded_event";
  const tenant = organization(build);
  const session = bound(build, selection, "sessionId", "uuid", ({ sessionId }) => sessionId);
  const moment = bound(build, selection, "receivedAfter", "timestamptz", (given) => given.receivedAfter);
  const from = newFrom(tenant, session, moment);
  return `(select n.* from recorded_event n
      where n.organization_id = ${tenant} and n.session_id = ${session} and n.timestamp >= ${from}
    union all select n.* from recorded_open o join recorded_event n on n.organization_id = ${tenant} and n.event_id = o.event_id
      where o.organization_id = ${tenant} and o.session_id = ${session} and n.timestamp < ${from})`;
}

/** The conditions of a page on them, for any text that they hold. */
export function conditions(build: Build, selection: Selection): string {
  const args = shapeOf(build, selection);
  const parts = [
    `e.organization_id = ${organization(build)}`,
    `e.session_id = ${bound(build, selection, "sessionId", "uuid", ({ sessionId }) => sessionId)}`,
  ];
  if (isGiven(args.after)) {
    const after = bound(build, selection, "after", "uuid", (given) => given.after);
    parts.push(`(e.timestamp, e.event_id) > (select a.timestamp, a.event_id from recorded_event a
      where a.organization_id = ${organization(build)} and a.event_id = ${after})`);
  }
  if (isGiven(args.receivedAfter)) {
    const moment = bound(build, selection, "receivedAfter", "timestamptz", (given) => given.receivedAfter);
    parts.push(
      `(e.received_at > ${moment} or e.open or e.timestamp + e.latency * interval '1 millisecond' > ${moment})`,
    );
  }
  return parts.join(" and ");
}

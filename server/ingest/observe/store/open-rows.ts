import type { SettledEvent } from "./event-rows.ts";
import type { Packet } from "./packet.ts";

/** Raw SQL, as all of this: docs/database.md says why. Notes which of the events are open now. Those that were not stored before have nothing to close. */
export function writeOpen(
  packet: Packet,
  organizationId: string,
  events: readonly SettledEvent[],
  gone: readonly string[],
): void {
  const open = events.filter(({ row }) => row.open).map(({ row }) => row);
  const closed = events.filter(({ row, isNew }) => !row.open && !isNew).map(({ row }) => row.event_id);
  closed.push(...gone);
  if (closed.length > 0) {
    packet.push({
      name: "observe-closed",
      text: "delete from recorded_open where organization_id = $1 and session_id = any($2) and event_id = any($3)",
      values: [organizationId, [...new Set(events.map(({ row }) => row.session_id))], closed],
    });
  }
  if (open.length === 0) return;
  packet.push({
    name: "observe-opened",
    text: `insert into recorded_open (organization_id, session_id, event_id)
      select $1, s, e from unnest($2::uuid[], $3::uuid[]) n (s, e) on conflict (organization_id, session_id, event_id) do nothing`,
    values: [organizationId, open.map(({ session_id }) => session_id), open.map(({ event_id }) => event_id)],
  });
}

/** Notes that nothing of a session is open. */
export function clearOpen(packet: Packet, organizationId: string, session: string): void {
  packet.push({
    text: "delete from recorded_open where organization_id = $1 and session_id = $2",
    values: [organizationId, session],
  });
}

/** Removes sessions that stood for a trace, once their events have moved. */
export function removeEmpty(packet: Packet, organizationId: string, sessions: readonly string[]): void {
  if (sessions.length === 0) return;
  packet.push({
    text: `delete from recorded_session s where organization_id = $1 and session_id = any($2) and source is not null
      and not exists (select from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id)`,
    values: [organizationId, sessions],
  });
  packet.push({
    text: "delete from recorded_open where organization_id = $1 and session_id = any($2)",
    values: [organizationId, sessions],
  });
}

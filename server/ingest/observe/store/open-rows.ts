import type { Statement } from "../../../../db/open.ts";
import type { EventToWrite, StoredEvent } from "./event-rows.ts";
import type { StatementPacket } from "./packet.ts";

/**
 * Stores which events are open, and deletes the entries of events that have ended. Each statement looks up rows by key,
 * because there are few open events. Raw SQL, like all statements here; docs/database.md explains why.
 */
export function writeOpenEvents(
  packet: StatementPacket,
  organizationId: string,
  { closed, open }: { closed: readonly StoredEvent[]; open: readonly EventToWrite[] },
): void {
  for (const { session_id, event_id } of closed) {
    packet.push({
      name: "observe-closed",
      text: "delete from recorded_open where organization_id = $1 and session_id = $2 and event_id = $3",
      values: [organizationId, session_id, event_id],
    });
  }
  if (open.length === 0) return;
  packet.push({
    name: "observe-opened",
    text: `insert into recorded_open (organization_id, session_id, event_id, part, due_at)
      select $1, s, e, p, to_timestamp(d / 1000) from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::float8[]) n (s, e, p, d)
      on conflict (organization_id, session_id, event_id) do update set part = excluded.part, due_at = excluded.due_at`,
    values: [
      organizationId,
      open.map(({ row }) => row.session_id),
      open.map(({ row }) => row.event_id),
      open.map(({ part }) => part),
      open.map(({ due }) => due),
    ],
  });
}

/** Creates the statement that reads the parts of all open events of the given sessions. */
export const partsOfOpenEventsStatement = (organizationId: string, sessions: readonly string[]): Statement => ({
  name: "observe-open-parts",
  text: `select distinct o.part from unnest($2::uuid[]) n (id) cross join lateral (
    select part from recorded_open where organization_id = $1 and session_id = n.id offset 0) o`,
  values: [organizationId, sessions],
});

/**
 * Deletes sessions that only stood for a trace and are now empty, because their events have moved to another session.
 */
export function removeEmptySessions(
  packet: StatementPacket,
  organizationId: string,
  sessions: readonly string[],
): void {
  for (const session of sessions) {
    packet.push({
      name: "observe-empty",
      text: `delete from recorded_session where organization_id = $1 and source is not null and ctid = (select ctid
          from recorded_session where organization_id = $1 and session_id between $2 and $2 order by session_id limit 1)
        and (select event_id from recorded_event where organization_id = $1 and session_id between $2 and $2
          order by session_id limit 1) is null`,
      values: [organizationId, session],
    });
  }
}

import type { Known } from "../merge/settle.ts";
import type { SettledEvent } from "./event-rows.ts";
import type { Packet } from "./packet.ts";

/**
 * Raw SQL, as all of this: docs/database.md says why. Notes which of the events are open now, and that those that were open
 * and have closed, moved or become part of others are not. Their number is small, so each is found by its key.
 */
export function writeOpen(
  packet: Packet,
  organizationId: string,
  known: readonly Known[],
  { events, gone }: { events: readonly SettledEvent[]; gone: ReadonlyMap<string, unknown> },
): void {
  const wereOpen = known.filter(({ row }) => row.open);
  const settled = new Map(wereOpen.length > 0 ? events.map(({ row }) => [row.event_id, row]) : []);
  for (const { row } of wereOpen) {
    const now = settled.get(row.event_id);
    const stays = now ? now.open && now.session_id === row.session_id : !gone.has(row.event_id);
    if (stays) continue;
    packet.push({
      name: "observe-closed",
      text: "delete from recorded_open where organization_id = $1 and session_id = $2 and event_id = $3",
      values: [organizationId, row.session_id, row.event_id],
    });
  }
  const open = events.filter(({ row }) => row.open).map(({ row }) => row);
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
    name: "observe-open-none",
    text: "delete from recorded_open where organization_id = $1 and session_id = $2",
    values: [organizationId, session],
  });
}

/** Removes sessions that stood for a trace, once their events have moved. */
export function removeEmpty(packet: Packet, organizationId: string, sessions: readonly string[]): void {
  for (const session of sessions) {
    packet.push({
      name: "observe-empty",
      text: `delete from recorded_session where organization_id = $1 and source is not null and ctid = (select ctid
          from recorded_session where organization_id = $1 and session_id between $2 and $2 order by session_id limit 1)
        and (select event_id from recorded_event where organization_id = $1 and session_id between $2 and $2
          order by session_id limit 1) is null`,
      values: [organizationId, session],
    });
    clearOpen(packet, organizationId, session);
  }
}

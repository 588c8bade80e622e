import { CTID, type StoredEvent } from "./event-rows.ts";
import type { Packet } from "./packet.ts";

/**
 * Raw SQL, as all of this: docs/database.md says why. Shows the answer of a turn's last model call as the result of a turn
 * without one of its own, while it goes on too: agents that send telemetry alone have the reply nowhere else. It is shown only, and
 * not part of the turn's facts, so that a reply that arrives later takes its place.
 */
export function showReplies(packet: Packet, organizationId: string, events: readonly StoredEvent[]): void {
  for (const [turn, session] of new Map(events.flatMap(turnOf))) {
    packet.push({
      name: "observe-reply",
      text: `update recorded_event t set result = reply.result
        from (select result from recorded_event where organization_id = $1 and session_id = $3
          and parent_id = $2 and kind = 'llm' and success and result <> ''
          order by timestamp desc, event_id desc limit 1) reply
        where t.organization_id = $1 and t.ctid = (${CTID}) and t.kind = 'turn' and t.success
          and t.observed is not null and not t.observed ? 'result' and t.result <> reply.result`,
      values: [organizationId, turn, session],
    });
  }
}

/** The turn whose reply an event may change, and its session: itself, or the one that a model's answer stands under. */
function turnOf({ row, facts }: StoredEvent): [string, string][] {
  if (row.kind === "turn") return facts.result ? [] : [[row.event_id, row.session_id]];
  return row.kind === "llm" && row.result !== "" && row.parent_id !== null ? [[row.parent_id, row.session_id]] : [];
}

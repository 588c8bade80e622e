import type { StoredEvent } from "./event-rows.ts";
import type { Packet } from "./packet.ts";

/**
 * Raw SQL, as all of this: docs/database.md says why. Shows the answer of a turn's last model call as the result of a turn
 * that ended without one: agents that are heard by telemetry alone tell the reply nowhere else. It is shown only, and
 * not part of what is known of the turn, so that a reply that is told later takes its place.
 */
export function showReplies(packet: Packet, organizationId: string, events: readonly StoredEvent[]): void {
  const turns = new Set(events.flatMap(turnOf));
  if (turns.size === 0) return;
  packet.push({
    name: "observe-replies",
    text: `update recorded_event t set result = reply.result
      from recorded_event turn cross join lateral (
        select result from recorded_event where organization_id = $1 and session_id = turn.session_id
          and parent_id = turn.event_id and kind = 'llm' and success and result <> ''
        order by timestamp desc, event_id desc limit 1) reply
      where turn.organization_id = $1 and turn.event_id = any($2) and turn.kind = 'turn' and not turn.open and turn.success
        and turn.observed is not null and not turn.observed ? 'result' and turn.result <> reply.result
        and t.organization_id = $1 and t.event_id = turn.event_id`,
    values: [organizationId, [...turns]],
  });
}

/** The turn whose reply an event may change: itself, or the one that a model's answer stands under. */
function turnOf({ row, facts }: StoredEvent): string[] {
  if (row.kind === "turn") return row.open || facts.result ? [] : [row.event_id];
  return row.kind === "llm" && row.result !== "" && row.parent_id !== null ? [row.parent_id] : [];
}

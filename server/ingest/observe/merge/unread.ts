import { LATE_MS } from "../../../resources/recorded/outline/late.ts";
import type { EventRow } from "../project.ts";
import type { SettledEvent } from "../store/event-rows.ts";
import type { Known } from "./settle.ts";

/**
 * The beginning of the earliest event of each session with a report that may name issues, epoch ms: it is new, or
 * what it says is. What a turn was answered names none.
 */
export function unreadFrom(events: readonly SettledEvent[], known: readonly Known[]): Map<string, number> {
  const before = new Map(known.map(({ row }) => [row.event_id, row]));
  const earliest = new Map<string, number>();
  for (const { row } of events) {
    if (saysTheSame(row, before.get(row.event_id))) continue;
    earliest.set(row.session_id, Math.min(row.timestamp, earliest.get(row.session_id) ?? row.timestamp));
  }
  return earliest;
}

const saysTheSame = (row: EventRow, before: EventRow | undefined): boolean =>
  before !== undefined &&
  before.session_id === row.session_id &&
  before.kind === row.kind &&
  before.args === row.args &&
  before.metadata === row.metadata &&
  (row.kind === "turn" || before.result === row.result);

/** Sessions of which events that began long before `now` and are over were added or changed: those that are open are known apart. */
export const lateSessions = (events: readonly SettledEvent[], now: number): Set<string> =>
  new Set(events.flatMap(({ row }) => (!row.open && row.timestamp < now - LATE_MS ? [row.session_id] : [])));

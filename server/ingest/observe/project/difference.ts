import { hash } from "node:crypto";
import { LATE_MS } from "../../../resources/recorded/outline/events.ts";
import type { FoldedEventRow } from "../fold/event.ts";
import type { FoldedEvent } from "../fold/fold.ts";
import { adjustTotalsByEvent } from "../fold/totals.ts";
import type { EventToWrite, StoredEvent } from "../store/event-rows.ts";
import { createEmptyEventChanges, type EventChanges } from "../store/session-updates.ts";
import type { FoldedParts } from "./load.ts";

/** Differences between the result of a fold and the stored rows. */
export interface EventDifference {
  /** Epoch ms. */
  now: number;
  written: EventToWrite[];
  removed: StoredEvent[];
  /** Stored events that are no longer open. */
  closed: StoredEvent[];
  /**
   * Start times of the changed events, in epoch ms, both before and after the change. The counts of the hours that
   * contain these times must be computed again.
   */
  moments: number[];
  sessions: Map<string, EventChanges>;
}

/**
 * Compares the folded events with the stored events. Some stored events stay unchanged: events that were stored by
 * capture-*, events that arrived until `sealed_at` of their part, and events of parts that this fold did not read.
 */
export function compareWithStored({ folded, read, known, parts }: FoldedParts, now: number): EventDifference {
  const difference: EventDifference = { now, written: [], removed: [], closed: [], moments: [], sessions: new Map() };
  const isOurs = ({ part, received_at }: StoredEvent): boolean => {
    if (part === null || !read.has(part) || !folded.components.has(part)) return false;
    // If the row of a part was deleted, the part's events still exist but the observations do not. The events cannot
    // be folded again.
    const row = parts.get(part);
    return row !== undefined && (row.sealed_at === null || received_at > row.sealed_at);
  };
  const made = new Set<string>();
  for (const event of folded.events) {
    made.add(event.row.event_id);
    const stored = known.get(event.row.event_id);
    const isFirst = !stored && !parts.has(event.part);
    if (!stored || isOurs(stored)) compare(difference, event, stored, isFirst ? null : digestOf(event.row));
  }
  for (const stored of known.values()) {
    if (made.has(stored.event_id) || !isOurs(stored)) continue;
    difference.removed.push(stored);
    unreadFrom(difference, stored);
    if (stored.open) difference.closed.push(stored);
    add(difference, stored, -1);
  }
  return difference;
}

/**
 * Compares one folded event with the stored event. In the first fold of a part, `digest` is null: most parts are folded
 * only once, and computing the digest would cost more than the rest of the comparison.
 */
function compare(
  difference: EventDifference,
  { part, due, row }: FoldedEvent,
  stored: StoredEvent | undefined,
  digest: string | null,
): void {
  if (stored) row.received_at = Math.min(stored.received_at, row.received_at);
  if (stored && stored.digest !== null && stored.digest === digest && stored.part === part) return;
  const { session_id, timestamp } = row;
  difference.written.push({ row, part, digest, due, isNew: stored === undefined });
  if (stored?.open && !(row.open && stored.session_id === session_id)) difference.closed.push(stored);
  if (stored) add(difference, stored, -1);
  if (stored && stored.session_id !== session_id) unreadFrom(difference, stored);
  add(difference, row, 1);
  const saysTheSame = stored?.digest && stored.digest.slice(WHOLE) === digest?.slice(WHOLE);
  if (!saysTheSame || stored.session_id !== session_id) unreadFrom(difference, row);
  if (!row.open && timestamp < difference.now - LATE_MS) changesOf(difference, session_id).late = true;
}

function changesOf({ sessions }: EventDifference, session: string): EventChanges {
  const known = sessions.get(session) ?? createEmptyEventChanges();
  sessions.set(session, known);
  return known;
}

/** Records that code that reads new events of the session must start at this event or earlier. */
function unreadFrom(difference: EventDifference, { session_id, timestamp }: StoredEvent | FoldedEventRow): void {
  const changes = changesOf(difference, session_id);
  changes.unread = Math.min(timestamp, changes.unread ?? timestamp);
}

function add(difference: EventDifference, row: StoredEvent | FoldedEventRow, times: 1 | -1): void {
  adjustTotalsByEvent(changesOf(difference, row.session_id).totals, row, times);
  difference.moments.push(row.timestamp);
}

/**
 * A digest consists of two parts. The first WHOLE characters cover the whole row. The next SAID characters cover the
 * fields that may name issues or report actions, and leave out the replies of turns.
 */
const WHOLE = 22;
const SAID = 8;

function digestOf(row: FoldedEventRow): string {
  const { kind, args, metadata, result } = row;
  const outcome = kind === "turn" ? "" : `${row.success} ${row.open} ${row.latency}\n${result}`;
  const said = digest(`${args.length} ${kind} ${metadata}\n${args}${outcome}`);
  const rest: { [Key in keyof FoldedEventRow]?: FoldedEventRow[Key] | undefined } = {
    ...row,
    received_at: undefined,
    args: undefined,
    metadata: undefined,
    result: kind === "turn" ? result : undefined,
  };
  return digest(said + JSON.stringify(rest)).slice(0, WHOLE) + said.slice(0, SAID);
}

const digest = (text: string): string => hash("sha1", text, "base64url" as "base64");

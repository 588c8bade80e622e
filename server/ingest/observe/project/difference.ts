import { hash } from "node:crypto";
import { LATE_MS } from "../../../resources/recorded/outline/events.ts";
import type { EventRow } from "../fold/event.ts";
import type { FoldedEvent } from "../fold/fold.ts";
import { countEvent } from "../fold/totals.ts";
import type { KnownEvent, NextEvent } from "../store/event-rows.ts";
import { type EventChanges, noChanges } from "../store/session-updates.ts";
import type { LoadedParts } from "./load.ts";

/** Rows that differ from the stored rows. */
export interface Difference {
  /** Epoch ms. */
  now: number;
  written: NextEvent[];
  removed: KnownEvent[];
  /** Stored events that are no longer open. */
  closed: KnownEvent[];
  /**
   * Start times of the changed events, before and after the change, epoch ms. The hourly counts of these times change.
   */
  moments: number[];
  sessions: Map<string, EventChanges>;
}

/**
 * Compares the folded events with the stored events. Events of capture-*, of sealed parts, and of other parts in
 * another session stay unchanged.
 */
export function compareWithStored({ folded, read, known, parts }: LoadedParts, now: number): Difference {
  const difference: Difference = { now, written: [], removed: [], closed: [], moments: [], sessions: new Map() };
  const isOurs = ({ part, received_at }: KnownEvent): boolean => {
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
 * Skips the digest in the first fold of a part. That fold is usually the only one, and the digest would cost more than
 * the rest of the comparison.
 */
function compare(
  difference: Difference,
  { part, due, row }: FoldedEvent,
  stored: KnownEvent | undefined,
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

function changesOf({ sessions }: Difference, session: string): EventChanges {
  const known = sessions.get(session) ?? noChanges();
  sessions.set(session, known);
  return known;
}

/** Records that readers of new events must start no later than this event. */
function unreadFrom(difference: Difference, { session_id, timestamp }: KnownEvent | EventRow): void {
  const changes = changesOf(difference, session_id);
  changes.unread = Math.min(timestamp, changes.unread ?? timestamp);
}

function add(difference: Difference, row: KnownEvent | EventRow, times: 1 | -1): void {
  countEvent(changesOf(difference, row.session_id).totals, row, times);
  difference.moments.push(row.timestamp);
}

/**
 * Length of a digest of the whole row; then the length of a digest of the fields that may name issues or report
 * actions. The second digest leaves out replies to turns.
 */
const WHOLE = 22;
const SAID = 8;

function digestOf(row: EventRow): string {
  const { kind, args, metadata, result } = row;
  const outcome = kind === "turn" ? "" : `${row.success} ${row.open} ${row.latency}\n${result}`;
  const said = digest(`${args.length} ${kind} ${metadata}\n${args}${outcome}`);
  const rest: { [Key in keyof EventRow]?: EventRow[Key] | undefined } = {
    ...row,
    received_at: undefined,
    args: undefined,
    metadata: undefined,
    result: kind === "turn" ? result : undefined,
  };
  return digest(said + JSON.stringify(rest)).slice(0, WHOLE) + said.slice(0, SAID);
}

const digest = (text: string): string => hash("sha1", text, "base64url" as "base64");

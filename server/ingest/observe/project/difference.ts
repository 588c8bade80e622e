import { hash } from "node:crypto";
import { LATE_MS } from "../../../resources/recorded/outline/events.ts";
import type { EventRow } from "../fold/event.ts";
import type { FoldedEvent } from "../fold/fold.ts";
import { count } from "../fold/totals.ts";
import type { KnownEvent, NextEvent } from "../store/event-rows.ts";
import { type EventChanges, noChanges } from "../store/session-updates.ts";
import type { Loaded } from "./load.ts";

/** The rows that differ from those that are stored. */
export interface Difference {
  /** Epoch ms. */
  now: number;
  written: NextEvent[];
  removed: KnownEvent[];
  /** Stored events that are no longer open. */
  closed: KnownEvent[];
  /** When the events began that changed, before and after, epoch ms: their counts by the hour change. */
  moments: number[];
  sessions: Map<string, EventChanges>;
}

/**
 * Compares what was folded with what is stored. An event of capture-*, of a sealed part, or of other parts in another
 * session is not changed.
 */
export function differenceOf({ folded, read, known, parts }: Loaded, now: number): Difference {
  const difference: Difference = { now, written: [], removed: [], closed: [], moments: [], sessions: new Map() };
  const isOurs = ({ part, received_at }: KnownEvent): boolean => {
    if (part === null || !read.has(part) || !folded.components.has(part)) return false;
    // A part that was forgotten has events, and nothing that they were made of.
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

/** Without a digest in the first fold of its part, which mostly is the last: it would cost more than the rest of it. */
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

/** Notes that readers of new events begin no later than an event. */
function unreadFrom(difference: Difference, { session_id, timestamp }: KnownEvent | EventRow): void {
  const changes = changesOf(difference, session_id);
  changes.unread = Math.min(timestamp, changes.unread ?? timestamp);
}

function add(difference: Difference, row: KnownEvent | EventRow, times: 1 | -1): void {
  count(changesOf(difference, row.session_id).totals, row, times);
  difference.moments.push(row.timestamp);
}

/** Characters of a digest for the row; those behind are for what names issues and says what was done. A reply to a turn does neither. */
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

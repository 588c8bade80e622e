import type { Database } from "../../../../db/open.ts";
import { NO_ID } from "../../../id.ts";
import { isToolCallSql, isTurnSql, kindSql } from "../kinds.ts";

/** Number of events that are read at once, because their texts may be long. */
const EVENTS = 50;
/** Maximum characters that are read of an input, of each end of a result, and of metadata. */
const ARGS = 262_144;
const RESULT = 8_192;
const METADATA = 8_192;

/** The session whose events are read. */
export interface SessionToRead {
  organizationId: string;
  id: string;
  /** Program that recorded the session, and the session's working folder, if known. */
  source: string | null;
  cwd: string | null;
}

/** An event with texts cut to the read length. */
export interface TruncatedEvent {
  id: string;
  timestamp: Date;
  kind: string;
  name: string;
  args: string;
  result: string;
  success: boolean;
  open: boolean;
  latency: number | null;
  metadata: string | null;
}

/** A position in the order of a session's events. `timestamp` may be SQL text, because the time may be infinite. */
export interface EventPosition {
  timestamp: Date | string;
  id: string;
}

/** Events of a session in order of time: all events after `after`, up to `until` or to the end. */
export interface EventBatch {
  session: SessionToRead;
  after: EventPosition;
  until: EventPosition | undefined;
  events: readonly TruncatedEvent[];
}

/** Derives data from events. A reader may receive the same events again and then writes the same data again. */
export type EventBatchReader = (db: Database, batch: EventBatch) => Promise<void>;

/**
 * Raw SQL: shares the definition of an event's kind. Returns events of session $2 after ($3, $4) that readers may
 * derive data from.
 */
const NEXT = `select e.event_id as id, e.timestamp, ${kindSql("e")} as kind, e.primitive_name as name, left(e.args, ${ARGS}) as args,
    case when length(e.result) > ${2 * RESULT} then left(e.result, ${RESULT}) || E'\\n' || right(e.result, ${RESULT}) else e.result end as result,
    e.success, coalesce(e.open, false) as open, e.latency::float8 as latency, left(e.metadata::text, ${METADATA}) as metadata
  from recorded_event e
  where e.organization_id = $1 and e.session_id = $2 and (e.timestamp, e.event_id) > ($3::timestamptz, $4::uuid)
    and (${isTurnSql("e")} or ${isToolCallSql("e")} or left(e.metadata::text, ${METADATA}) ~* 'branch|commit')
  order by e.timestamp, e.event_id limit ${EVENTS}`;

/**
 * Passes the events of a session from a time on to each reader, in batches, up to `most` events. Returns false if
 * events remain.
 */
export async function readEventsInBatches(
  db: Database,
  session: SessionToRead,
  from: string,
  readers: readonly EventBatchReader[],
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  let after: EventPosition = { timestamp: from, id: NO_ID };
  for (let seen = 0; seen < most; seen += EVENTS) {
    const values = [session.organizationId, session.id, after.timestamp, after.id];
    const events = await db.query<TruncatedEvent>({ name: "unread-events", text: NEXT, values });
    const last = events.length === EVENTS ? events.at(-1) : undefined;
    const batch: EventBatch = { session, after, until: last, events };
    for (const read of readers) await read(db, batch);
    if (!last) return true;
    after = { timestamp: last.timestamp, id: last.id };
  }
  return false;
}

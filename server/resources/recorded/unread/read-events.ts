import type { Database } from "../../../../db/open.ts";
import { NO_ID } from "../../../id.ts";
import { isToolCall, isTurn, kindOf } from "../kinds.ts";

/** Events that are read at once: their texts may be long. */
const EVENTS = 50;
/** Characters that are read of an input, of both ends of what was answered, and of metadata. */
const ARGS = 262_144;
const RESULT = 8_192;
const METADATA = 8_192;

/** The session whose events are read. */
export interface ReadSession {
  organizationId: string;
  id: string;
  /** The program that recorded it, and the folder that it works in, as far as they are known. */
  source: string | null;
  cwd: string | null;
}

/** An event, its texts as far as they are read. */
export interface ReadEvent {
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

/** A place in the order of a session's events. `timestamp` may be what SQL spells, since it may be infinite. */
export interface Place {
  timestamp: Date | string;
  id: string;
}

/** Events of a session in order of time: all that there are behind `after`, until `until`, or to the end. */
export interface Batch {
  session: ReadSession;
  after: Place;
  until: Place | undefined;
  events: readonly ReadEvent[];
}

/** Derives something from events. It may be given the same ones again, and then writes the same. */
export type EventReader = (db: Database, batch: Batch) => Promise<void>;

/** Raw SQL: it shares the rule of what kind an event is. Events of session $2 behind ($3, $4) that say or do something. */
const NEXT = `select e.event_id as id, e.timestamp, ${kindOf("e")} as kind, e.primitive_name as name, left(e.args, ${ARGS}) as args,
    case when length(e.result) > ${2 * RESULT} then left(e.result, ${RESULT}) || E'\\n' || right(e.result, ${RESULT}) else e.result end as result,
    e.success, coalesce(e.open, false) as open, e.latency::float8 as latency, left(e.metadata::text, ${METADATA}) as metadata
  from recorded_event e
  where e.organization_id = $1 and e.session_id = $2 and (e.timestamp, e.event_id) > ($3::timestamptz, $4::uuid)
    and (${isTurn("e")} or ${isToolCall("e")} or left(e.metadata::text, ${METADATA}) ~* 'branch|commit')
  order by e.timestamp, e.event_id limit ${EVENTS}`;

/**
 * Gives the events of a session from a moment on to each reader, batch by batch, `most` of them at the most. Answers
 * false where more were left.
 */
export async function readEvents(
  db: Database,
  session: ReadSession,
  from: string,
  readers: readonly EventReader[],
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  let after: Place = { timestamp: from, id: NO_ID };
  for (let seen = 0; seen < most; seen += EVENTS) {
    const values = [session.organizationId, session.id, after.timestamp, after.id];
    const events = await db.query<ReadEvent>({ name: "unread-events", text: NEXT, values });
    const last = events.length === EVENTS ? events.at(-1) : undefined;
    const batch: Batch = { session, after, until: last, events };
    for (const read of readers) await read(db, batch);
    if (!last) return true;
    after = { timestamp: last.timestamp, id: last.id };
  }
  return false;
}

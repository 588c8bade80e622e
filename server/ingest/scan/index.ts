import { isUtf8 } from "node:buffer";
import type { SlicedWork } from "../../../concurrency/slices.ts";
import { endedAt, sentKind } from "../../resources/recorded/kinds.ts";
import type { BodyContext } from "../capture/context.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { timestamp as timeRule } from "../rules/rules.ts";
import { type EncodedEvent, putInt16, reserve } from "../tuple/index.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  type Cursor,
  giveUp,
  hasMoreMembers,
  NOT_PLAIN,
  OPEN_BRACE,
  OPEN_BRACKET,
  openContainer,
  readString,
  skipColon,
  skipToValue,
} from "./cursor.ts";
import { COLUMN_WRITERS, createEventState, hasFailed, type ScannedEventState, textAt } from "./event-columns.ts";
import { ABSENT, type Field, readFields } from "./fields.ts";

/** Number of events between two yields. Most events take some microseconds. */
export const SLICE = 32;

/**
 * Fast path from a body to tuples, in slices. Reads `{"events": [...]}` byte by byte and copies unchanged values
 * without creating strings or objects. Returns undefined if anything in the body is invalid or rare. The careful reader
 * then reads the whole body and alone decides what to reject. Both readers store the same rows (test/unit/ingest-scan).
 */
export function* scanEvents(bytes: Buffer, context: BodyContext): SlicedWork<ScannedEvent[] | undefined> {
  if (!isUtf8(bytes)) return undefined;
  const begin = context.tuples.at;
  try {
    return yield* readBody(cursorOf(bytes, context), context);
  } catch (error) {
    if (error !== NOT_PLAIN) throw error;
    context.tuples.at = begin;
    return undefined;
  }
}

function cursorOf(body: Buffer, { redaction }: BodyContext): Cursor {
  const bytes = body.byteOffset % 4 === 0 ? body : Buffer.from(body);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { bytes, words, at: 0, values: 0, start: 0, stop: 0, escaped: false, redaction };
}

function* readBody(from: Cursor, context: BodyContext): SlicedWork<ScannedEvent[]> {
  const events: ScannedEvent[] = [];
  const event = createEventState(from, context);
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) giveUp();
  readString(from);
  if (from.bytes.toString("latin1", from.start, from.stop) !== "events") giveUp();
  skipColon(from);
  if (openContainer(from, OPEN_BRACKET, CLOSE_BRACKET)) {
    do {
      context.scan.next();
      events.push(readEvent(from, event, context));
      if (events.length % SLICE === 0) yield;
    } while (hasMoreMembers(from, CLOSE_BRACKET));
  }
  if (hasMoreMembers(from, CLOSE_BRACE) || skipToValue(from) !== 0 || from.at < from.bytes.length) giveUp();
  if (events.length > MAX_EVENTS) giveUp();
  return events;
}

/** Valid event, and its id as sent. */
interface ScannedEvent {
  id: string;
  event: EncodedEvent;
}

/** Maximum bytes of a tuple in addition to the spelling of its values. */
const FRAME_BYTES = 256;

/** Reads the event at the cursor and writes its tuple. */
function readEvent(from: Cursor, event: ScannedEventState, { now, tuples }: BodyContext): ScannedEvent {
  const begin = from.at;
  readFields(from, event.fields);
  event.room = FRAME_BYTES + from.at - begin;
  reserve(tuples, event.room);
  const { bytes } = from;
  const { sent } = event;
  event.time = sent.timestamp.start === ABSENT ? now : sent.timestamp.value;
  if (timeRule(event.time, now)) giveUp();
  const start = tuples.at;
  putInt16(tuples, COLUMN_WRITERS.length);
  for (const put of COLUMN_WRITERS) put(tuples, event);
  const id = bytes.toString("latin1", sent.event_id.start, sent.event_id.stop);
  if (!isSameText(bytes, event.sessionAt, sent.session_id)) {
    event.sessionAt = sent.session_id.start;
    event.session = bytes.toString("latin1", sent.session_id.start, sent.session_id.stop).toLowerCase();
  }
  const event_id = id.toLowerCase();
  const { session: session_id, time: timestamp } = event;
  const success = !hasFailed(sent);
  const type = sent.primitive_type.start === ABSENT ? null : textAt(bytes, sent.primitive_type);
  const kind = sentKind(type, sent.parent_id.start !== ABSENT);
  // Events with usage in metadata are left to the careful reader.
  return {
    id,
    // Lists the members explicitly, because object spreads would take longer than all other work here.
    event: {
      event_id,
      session_id,
      external_id: null,
      timestamp,
      received_at: now,
      ended_at: endedAt({ timestamp, latency: sent.latency.start === ABSENT ? null : sent.latency.value }),
      success,
      kind,
      measured: null,
      tuples,
      from: start,
      end: tuples.at,
    },
  };
}

/**
 * Returns true if an earlier position contains the same text as the field. The comparison starts at the end of the
 * text.
 */
function isSameText(bytes: Buffer, other: number, { start, stop }: Field): boolean {
  if (other === ABSENT) return false;
  for (let index = stop - start - 1; index >= 0; index -= 1) {
    if (bytes[other + index] !== bytes[start + index]) return false;
  }
  return true;
}

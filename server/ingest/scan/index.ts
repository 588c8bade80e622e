import { isUtf8 } from "node:buffer";
import type { Slices } from "../../../concurrency/slices.ts";
import { endedAt, sentKind } from "../../resources/recorded/kinds.ts";
import type { BodyContext } from "../capture/context.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { timestamp as timeRule } from "../rules/rules.ts";
import { type EncodedEvent, putInt16, reserve } from "../tuple/index.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  type Cursor,
  colon,
  giveUp,
  more,
  NOT_PLAIN,
  next,
  OPEN_BRACE,
  OPEN_BRACKET,
  open,
  readString,
} from "./cursor.ts";
import { type EventAtHand, eventOfBody, hasFailed, PUTS, textAt } from "./event-columns.ts";
import { ABSENT, type Field, readFields } from "./fields.ts";

/** Events between two slices: most take some microseconds each. */
export const SLICE = 32;

/**
 * The fast way from a body to tuples, in slices: reads `{"events": [...]}` byte by byte and copies what it only passes on,
 * without making a string or an object of it. Answers undefined when anything in the body is wrong or rare; the careful way
 * then reads it from the beginning, and alone decides what is refused. Both store the same (test/unit/ingest-scan).
 */
export function* scanEvents(bytes: Buffer, context: BodyContext): Slices<ScannedEvent[] | undefined> {
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

function* readBody(from: Cursor, context: BodyContext): Slices<ScannedEvent[]> {
  const events: ScannedEvent[] = [];
  const event = eventOfBody(from, context);
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) giveUp();
  readString(from);
  if (from.bytes.toString("latin1", from.start, from.stop) !== "events") giveUp();
  colon(from);
  if (open(from, OPEN_BRACKET, CLOSE_BRACKET)) {
    do {
      context.scan.next();
      events.push(readEvent(from, event, context));
      if (events.length % SLICE === 0) yield;
    } while (more(from, CLOSE_BRACKET));
  }
  if (more(from, CLOSE_BRACE) || next(from) !== 0 || from.at < from.bytes.length) giveUp();
  if (events.length > MAX_EVENTS) giveUp();
  return events;
}

/** An event that is fine, and its id as it was sent. */
interface ScannedEvent {
  id: string;
  event: EncodedEvent;
}

/** The most bytes of a tuple besides its values as they are spelled. */
const FRAME_BYTES = 256;

/** Reads the event that begins here and writes its tuple. */
function readEvent(from: Cursor, event: EventAtHand, { now, tuples }: BodyContext): ScannedEvent {
  const begin = from.at;
  readFields(from, event.fields);
  event.room = FRAME_BYTES + from.at - begin;
  reserve(tuples, event.room);
  const { bytes } = from;
  const { sent } = event;
  event.time = sent.timestamp.start === ABSENT ? now : sent.timestamp.value;
  if (timeRule(event.time, now)) giveUp();
  const start = tuples.at;
  putInt16(tuples, PUTS.length);
  for (const put of PUTS) put(tuples, event);
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
  // Metadata that measures is left to the careful way.
  return {
    id,
    // Written out: to spread objects into one another takes longer here than all the rest.
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

/** True when the text of a field stands at another place too, where that of an earlier event ended. */
function isSameText(bytes: Buffer, other: number, { start, stop }: Field): boolean {
  if (other === ABSENT) return false;
  for (let index = stop - start - 1; index >= 0; index -= 1) {
    if (bytes[other + index] !== bytes[start + index]) return false;
  }
  return true;
}

import { isUtf8 } from "node:buffer";
import type { SlicedWork } from "../../../concurrency/slices.ts";
import { eventEndMs, getCapturedEventKind } from "../../resources/recorded/kinds.ts";
import type { BodyContext } from "../capture/context.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
import { timestampRule as timeRule } from "../rules/rules.ts";
import { type EncodedEvent, putInt16, reserve } from "../tuple/index.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  hasMoreMembers,
  type JsonCursor,
  NOT_PLAIN_JSON_ERROR,
  OPEN_BRACE,
  OPEN_BRACKET,
  openContainer,
  scanString,
  skipColon,
  skipToValue,
  throwNotPlainJson,
} from "./cursor.ts";
import {
  COLUMN_WRITERS,
  createEventState,
  decodeFieldText,
  hasFailed,
  type ScannedEventState,
} from "./event-columns.ts";
import { ABSENT_FIELD_START, type ScannedField, scanEventFields } from "./fields.ts";

/** Number of events between two yields. Most events take some microseconds. */
export const EVENTS_PER_SLICE = 32;

/**
 * Fast path that reads a body directly into tuples, in slices. Reads `{"events": [...]}` byte by byte and copies
 * unchanged values without creating strings or objects. Returns undefined if the body contains anything invalid or
 * rare. The careful reader then reads the whole body, and only the careful reader decides what to reject. Both readers
 * store the same rows (test/unit/ingest-scan).
 */
export function* scanEvents(bytes: Buffer, context: BodyContext): SlicedWork<ScannedEvent[] | undefined> {
  if (!isUtf8(bytes)) return undefined;
  const begin = context.tuples.at;
  try {
    return yield* readBody(cursorOf(bytes, context), context);
  } catch (error) {
    if (error !== NOT_PLAIN_JSON_ERROR) throw error;
    context.tuples.at = begin;
    return undefined;
  }
}

function cursorOf(body: Buffer, { redaction }: BodyContext): JsonCursor {
  const bytes = body.byteOffset % 4 === 0 ? body : Buffer.from(body);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { bytes, words, at: 0, values: 0, start: 0, stop: 0, escaped: false, redaction };
}

function* readBody(from: JsonCursor, context: BodyContext): SlicedWork<ScannedEvent[]> {
  const events: ScannedEvent[] = [];
  const event = createEventState(from, context);
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) throwNotPlainJson();
  scanString(from);
  if (from.bytes.toString("latin1", from.start, from.stop) !== "events") throwNotPlainJson();
  skipColon(from);
  if (openContainer(from, OPEN_BRACKET, CLOSE_BRACKET)) {
    do {
      context.scan.next();
      events.push(readEvent(from, event, context));
      if (events.length % EVENTS_PER_SLICE === 0) yield;
    } while (hasMoreMembers(from, CLOSE_BRACKET));
  }
  if (hasMoreMembers(from, CLOSE_BRACE) || skipToValue(from) !== 0 || from.at < from.bytes.length) throwNotPlainJson();
  if (events.length > MAX_EVENTS) throwNotPlainJson();
  return events;
}

/** Valid event, and its id as sent. */
interface ScannedEvent {
  id: string;
  event: EncodedEvent;
}

/** Maximum size of a tuple in bytes, in addition to the size of the event in the body. */
const FRAME_BYTES = 256;

/** Reads the event at the cursor and writes its tuple. */
function readEvent(from: JsonCursor, event: ScannedEventState, { now, tuples }: BodyContext): ScannedEvent {
  const begin = from.at;
  scanEventFields(from, event.fields);
  event.room = FRAME_BYTES + from.at - begin;
  reserve(tuples, event.room);
  const { bytes } = from;
  const { sent } = event;
  event.time = sent.timestamp.start === ABSENT_FIELD_START ? now : sent.timestamp.value;
  if (timeRule(event.time, now)) throwNotPlainJson();
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
  const type = sent.primitive_type.start === ABSENT_FIELD_START ? null : decodeFieldText(bytes, sent.primitive_type);
  const kind = getCapturedEventKind(type, sent.parent_id.start !== ABSENT_FIELD_START);
  // `measured` is always null here, because the careful reader handles events with usage in metadata.
  return {
    id,
    // Lists the members explicitly, because object spreads would take longer than all other work here.
    event: {
      event_id,
      session_id,
      external_id: null,
      timestamp,
      received_at: now,
      ended_at: eventEndMs({
        timestamp,
        latency: sent.latency.start === ABSENT_FIELD_START ? null : sent.latency.value,
      }),
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
function isSameText(bytes: Buffer, other: number, { start, stop }: ScannedField): boolean {
  if (other === ABSENT_FIELD_START) return false;
  for (let index = stop - start - 1; index >= 0; index -= 1) {
    if (bytes[other + index] !== bytes[start + index]) return false;
  }
  return true;
}

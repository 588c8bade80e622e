import { isUtf8 } from "node:buffer";
import type { Arrival } from "../arrival.ts";
import { MAX_EVENTS, METADATA, NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "../bounds.ts";
import { timestamp as timeRule } from "../rules.ts";
import { type EncodedEvent, EVENT_COLUMNS } from "../store/tuple.ts";
import { bool, int4, int8, timestamptz, uuid } from "../store/types.ts";
import { putInt16, putNull, reserve, type Writer } from "../store/writer.ts";
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  colon,
  giveUp,
  more,
  NOT_PLAIN,
  next,
  OPEN_BRACE,
  OPEN_BRACKET,
  open,
} from "./cursor.ts";
import { ABSENT, type Field, readFields, type Scan, sent } from "./fields.ts";
import { putText, putUuid } from "./put.ts";
import { readString } from "./string.ts";

/** An event that is fine, and its id as it was sent. */
export interface ScannedEvent {
  id: string;
  event: EncodedEvent;
}

/**
 * The fast way from a body to tuples: reads `{"events": [...]}` byte by byte and copies what it only passes on, without
 * making a string or an object of it. Answers undefined when anything in the body is wrong or rare; the careful way
 * then reads it from the beginning, and alone decides what is refused. Both store the same (test/ingest-scan).
 */
export function scanEvents(bytes: Buffer, arrival: Arrival): ScannedEvent[] | undefined {
  if (!isUtf8(bytes)) return undefined;
  const begin = arrival.tuples.at;
  try {
    return readBody(scanOf(bytes, arrival), arrival);
  } catch (error) {
    if (error !== NOT_PLAIN) throw error;
    arrival.tuples.at = begin;
    return undefined;
  }
}

function scanOf(body: Buffer, { redaction }: Arrival): Scan {
  const bytes = body.byteOffset % 4 === 0 ? body : Buffer.from(body);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { bytes, words, at: 0, values: 0, start: 0, stop: 0, escaped: false, redaction };
}

function readBody(from: Scan, arrival: Arrival): ScannedEvent[] {
  const events: ScannedEvent[] = [];
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) giveUp();
  readString(from);
  if (from.bytes.toString("latin1", from.start, from.stop) !== "events") giveUp();
  colon(from);
  if (open(from, OPEN_BRACKET, CLOSE_BRACKET)) {
    do events.push(readEvent(from, arrival, events.at(-1)?.event));
    while (more(from, CLOSE_BRACKET));
  }
  if (more(from, CLOSE_BRACE) || next(from) !== 0 || from.at < from.bytes.length) giveUp();
  if (events.length > MAX_EVENTS) giveUp();
  return events;
}

/** What a tuple may take besides the values as they are spelled. */
const FRAME_BYTES = 256;

function readEvent(from: Scan, { now, tuples, organizationId }: Arrival, before: EncodedEvent | undefined) {
  const begin = from.at;
  readFields(from);
  reserve(tuples, FRAME_BYTES + from.at - begin);
  const { bytes } = from;
  const { timestamp, latency, success, metadata } = sent;
  const start = tuples.at;
  const time = timestamp.start === ABSENT ? now : timestamp.value;
  if (timeRule(time, now)) giveUp();
  putInt16(tuples, EVENT_COLUMNS.length);
  uuid.put(tuples, organizationId);
  putUuid(tuples, bytes, sent.event_id);
  putUuid(tuples, bytes, sent.session_id);
  if (sent.parent_id.start === ABSENT) putNull(tuples);
  else putParent(tuples, start, bytes);
  timestamptz.put(tuples, time);
  timestamptz.put(tuples, now);
  if (latency.start === ABSENT) putNull(tuples);
  else int8.put(tuples, latency.value);
  int4.put(tuples, 0); // Nothing had to be replaced.
  bool.put(tuples, timestamp.start !== ABSENT);
  bool.put(tuples, success.start === ABSENT || success.value === 1);
  putBounded(tuples, bytes, sent.primitive_name, 1, NAME_CHARS);
  if (isEmpty(sent.primitive_type)) putNull(tuples);
  else putBounded(tuples, bytes, sent.primitive_type, 1, TYPE_CHARS);
  putBounded(tuples, bytes, sent.args, 0, PAYLOAD_BYTES);
  putBounded(tuples, bytes, sent.result, 0, PAYLOAD_BYTES);
  if (metadata.start === ABSENT) putNull(tuples);
  else if (metadata.stop - metadata.start > METADATA.bytes) giveUp();
  else putText(tuples, bytes, metadata);
  const id = bytes.toString("latin1", sent.event_id.start, sent.event_id.stop);
  const session_id =
    before && sameSession(tuples.buffer, before.from, start) ? before.session_id : lowerText(bytes, sent.session_id);
  const event_id = id.toLowerCase();
  return {
    id,
    event: { event_id, session_id, timestamp: time, received_at: now, tuples, from: start, end: tuples.at },
  };
}

const isEmpty = ({ start, stop }: Field) => start === ABSENT || start === stop;
const lowerText = (bytes: Buffer, { start, stop }: Field) => bytes.toString("latin1", start, stop).toLowerCase();

/** A text of so many bytes at most: where characters are what is bounded, it may have as many, so the bytes will do. */
function putBounded(tuples: Writer, bytes: Buffer, field: Field, least: number, most: number): void {
  if (field.start === ABSENT || field.stop - field.start < least || field.stop - field.start > most) giveUp();
  putText(tuples, bytes, field);
}

/** Where a tuple holds three ids: behind the number of columns, each behind its length. */
const EVENT_ID = 2 + 20 + 4;
const SESSION_ID = EVENT_ID + 20;
const PARENT_ID = SESSION_ID + 20;

const sameSession = (buffer: Buffer, one: number, other: number) => same(buffer, one + SESSION_ID, other + SESSION_ID);

function putParent(tuples: Writer, start: number, bytes: Buffer): void {
  putUuid(tuples, bytes, sent.parent_id);
  if (same(tuples.buffer, start + EVENT_ID, start + PARENT_ID)) giveUp();
}

function same(buffer: Buffer, one: number, other: number): boolean {
  for (let index = 0; index < 16; index += 1) if (buffer[one + index] !== buffer[other + index]) return false;
  return true;
}

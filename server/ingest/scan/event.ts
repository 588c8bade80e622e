import { endedAt } from "../../resources/recorded/duration.ts";
import { sentKind } from "../../resources/recorded/kinds.ts";
import type { BodyContext } from "../capture/context.ts";
import { timestamp as timeRule } from "../rules/rules.ts";
import { type EncodedEvent, putInt16, reserve } from "../tuple/index.ts";
import { giveUp } from "./cursor.ts";
import { type EventAtHand, hasFailed, PUTS, textAt } from "./event-columns.ts";
import { ABSENT, type Field, type Scan } from "./field.ts";
import { readFields } from "./fields.ts";

/** An event that is fine, and its id as it was sent. */
export interface ScannedEvent {
  id: string;
  event: EncodedEvent;
}

/** The most bytes of a tuple besides its values as they are spelled. */
const FRAME_BYTES = 256;

/** Reads the event that begins here and writes its tuple. */
export function readEvent(from: Scan, event: EventAtHand, { now, tuples }: BodyContext): ScannedEvent {
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

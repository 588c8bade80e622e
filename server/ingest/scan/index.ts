import { isUtf8 } from "node:buffer";
import type { BodyContext } from "../capture/context.ts";
import { MAX_EVENTS } from "../rules/bounds.ts";
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
import { readEvent, type ScannedEvent } from "./event.ts";
import { eventOfBody } from "./event-columns.ts";
import type { Scan } from "./field.ts";
import { readString } from "./string.ts";

/**
 * The fast way from a body to tuples: reads `{"events": [...]}` byte by byte and copies what it only passes on, without
 * making a string or an object of it. Answers undefined when anything in the body is wrong or rare; the careful way
 * then reads it from the beginning, and alone decides what is refused. Both store the same (test/ingest/ingest-scan).
 */
export function scanEvents(bytes: Buffer, context: BodyContext): ScannedEvent[] | undefined {
  if (!isUtf8(bytes)) return undefined;
  const begin = context.tuples.at;
  try {
    return readBody(scanOf(bytes, context), context);
  } catch (error) {
    if (error !== NOT_PLAIN) throw error;
    context.tuples.at = begin;
    return undefined;
  }
}

function scanOf(body: Buffer, { redaction }: BodyContext): Scan {
  const bytes = body.byteOffset % 4 === 0 ? body : Buffer.from(body);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  return { bytes, words, at: 0, values: 0, start: 0, stop: 0, escaped: false, redaction };
}

function readBody(from: Scan, context: BodyContext): ScannedEvent[] {
  const events: ScannedEvent[] = [];
  const event = eventOfBody(from, context);
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) giveUp();
  readString(from);
  if (from.bytes.toString("latin1", from.start, from.stop) !== "events") giveUp();
  colon(from);
  if (open(from, OPEN_BRACKET, CLOSE_BRACKET)) {
    do events.push(readEvent(from, event, context));
    while (more(from, CLOSE_BRACKET));
  }
  if (more(from, CLOSE_BRACE) || next(from) !== 0 || from.at < from.bytes.length) giveUp();
  if (events.length > MAX_EVENTS) giveUp();
  return events;
}

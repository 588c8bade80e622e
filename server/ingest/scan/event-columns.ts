import { marksIn, mayHold, type Redactor, triggersIn } from "../../../redaction/index.ts";
import { messageIn } from "../../resources/recorded/failures/message.ts";
import type { BodyContext } from "../capture/context.ts";
import { METADATA, NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "../rules/bounds.ts";
import { cutText, tidy } from "../rules/tidy.ts";
import {
  bool,
  EVENT_COLUMNS,
  type EventColumn,
  HEX,
  int4,
  int8,
  json,
  PAIRS,
  putCopy,
  putInt32,
  putNull,
  reserve,
  setInt32,
  text,
  timestamptz,
  uuid,
  type Writer,
} from "../tuple/index.ts";
import { type Cursor, giveUp } from "./cursor.ts";
import { ABSENT, type Field, type Fields, fieldsOfBody } from "./fields.ts";

/** The event that is read: where its fields lie, and what its tuple is made of besides. */
export interface EventAtHand {
  bytes: Buffer;
  words: Int32Array;
  redactor: Redactor;
  /** False where no text of the body can hold a secret to hide, nor a mark to count. */
  isSearched: boolean;
  /** Keys of metadata that hide their values. */
  keys: ReadonlySet<string>;
  /** Bytes that its tuple may take as it was sent. */
  room: number;
  /** The result, where it may have held secrets, without them. */
  result: string | undefined;
  /** Every text of that sort. */
  suspects: string[];
  fields: Fields;
  sent: Fields["sent"];
  organizationId: string;
  now: number;
  /** Its own time, or that of its arrival. */
  time: number;
  /** The position of the id in its tuple. */
  idAt: number;
  /** The session of the event before, and where that is spelled: most events have the same. */
  session: string;
  sessionAt: number;
}

/** The event that those of a body are read into, one after the other. */
export function eventOfBody(
  { bytes, words }: Cursor,
  { organizationId, now, redaction, scan: { redactor } }: BodyContext,
): EventAtHand {
  const fields = fieldsOfBody();
  const { sent } = fields;
  const place = { idAt: 0, session: "", sessionAt: ABSENT, room: 0, result: undefined, suspects: [] };
  const isSearched = redactor.isOn || MARK_SPELLINGS.some((spelling) => bytes.includes(spelling));
  const rules = { redactor, isSearched, keys: redaction.keys };
  return { bytes, words, ...rules, fields, sent, organizationId, now, time: now, ...place };
}

/** A mark that was sent counts also where redaction is off. It begins with one of these: escapes may spell its letters. */
const MARK_SPELLINGS = ["[redacted:", "\\u00"];

type Put = (to: Writer, event: EventAtHand) => void;

/** The writer of each column; its table has the order. */
const PUT: Record<EventColumn, Put> = {
  organization_id: (to, { organizationId }) => uuid.put(to, organizationId),
  event_id: (to, event) => {
    event.idAt = to.at;
    putUuid(to, event.bytes, event.sent.event_id);
  },
  session_id: (to, { bytes, sent }) => putUuid(to, bytes, sent.session_id),
  parent_id: putParent,
  timestamp: (to, { time }) => timestamptz.put(to, time),
  received_at: (to, { now }) => timestamptz.put(to, now),
  latency: (to, { sent }) => (sent.latency.start === ABSENT ? putNull(to) : int8.put(to, sent.latency.value)),
  sanitized: (to) => int4.put(to, 0), // Whatever has to be replaced is left to the careful way.
  timestamp_sent: (to, { sent }) => bool.put(to, sent.timestamp.start !== ABSENT),
  success: (to, { sent }) => bool.put(to, !hasFailed(sent)),
  primitive_name: (to, event) => putRedacted(to, event, event.sent.primitive_name, { least: 1, most: NAME_CHARS }),
  primitive_type: (to, event) =>
    isEmpty(event.sent.primitive_type)
      ? putNull(to)
      : putRedacted(to, event, event.sent.primitive_type, { least: 1, most: TYPE_CHARS }),
  args: (to, event) => putRedacted(to, event, event.sent.args, PAYLOAD),
  result: (to, event) => {
    event.result = putRedacted(to, event, event.sent.result, PAYLOAD);
  },
  metadata: putMetadata,
  message: (to, { bytes, sent, result }) =>
    hasFailed(sent) ? text.put(to, messageIn(result ?? textAt(bytes, sent.result))) : putNull(to),
  redacted: (to, { suspects }) => {
    const marks = suspects.length > 0 ? marksIn(suspects) : null;
    if (marks === null) putNull(to);
    else json.put(to, marks);
    suspects.length = 0;
  },
  computed_cost: putNull, // Metadata that measures is left to the careful way.
};

const PAYLOAD = { least: 0, most: PAYLOAD_BYTES };
const METADATA_BYTES = { least: 0, most: METADATA.bytes };

/** The same in the order of the columns. */
export const PUTS: readonly Put[] = EVENT_COLUMNS.map(({ name }) => PUT[name]);

/** Tells whether an event failed. */
export const hasFailed = ({ success }: EventAtHand["sent"]): boolean => success.start !== ABSENT && success.value !== 1;

/** The text of a field. */
export const textAt = (bytes: Buffer, { start, stop, escaped }: Field): string =>
  escaped ? JSON.parse(bytes.toString("utf8", start - 1, stop + 1)) : bytes.toString("utf8", start, stop);

const isEmpty = ({ start, stop }: Field) => start === ABSENT || start === stop;

/** A text of so many bytes at most: where characters are what is bounded, it may have as many, so the bytes will do. */
function putBounded(to: Writer, bytes: Buffer, field: Field, { least, most }: { least: number; most: number }): void {
  const length = field.stop - field.start;
  if (field.start === ABSENT || length < least || length > most) giveUp();
  // No text is longer than it is spelled, for which room is reserved.
  if (!field.escaped) {
    putInt32(to, length);
    putCopy(to, bytes, field.start, field.stop);
  } else {
    const written = to.buffer.write(textAt(bytes, field), to.at + 4);
    setInt32(to.buffer, to.at, written);
    to.at += 4 + written;
  }
}

/** Writes a text without its secrets; answers it where there may be any. Most texts hold nothing that may begin one. */
function putRedacted(
  to: Writer,
  { bytes, words, redactor, isSearched, room, suspects }: EventAtHand,
  field: Field,
  bounds: { least: number; most: number },
): string | undefined {
  const range = { bytes, words, from: field.start, to: field.stop };
  const isRead = isSearched && field.start !== ABSENT;
  const triggers = isRead ? triggersIn(range) : [];
  if (triggers.length === 0 && !(isRead && redactor.mayHoldMore(range))) {
    putBounded(to, bytes, field, bounds);
    return undefined;
  }
  const sent = textAt(bytes, field);
  // A byte a character: the triggers stand at the same places.
  const length = field.stop - field.start;
  const isPlain = !field.escaped && sent.length === length;
  const inText = isPlain ? triggers.map(({ at, literal }) => ({ at: at - field.start, literal })) : undefined;
  const kept = redactor.text(sent, inText);
  if (kept === sent) {
    putBounded(to, bytes, field, bounds);
    suspects.push(sent);
    return sent;
  }
  if (length < bounds.least || length > bounds.most) giveUp();
  const cut = cutText(kept, bounds.most);
  suspects.push(cut);
  text.put(to, cut);
  // Marks may be longer than what they stand for, and the columns that follow take the room for granted.
  reserve(to, room);
  return cut;
}

/** Metadata with secrets is left to the careful way. Where it may hold any, that way says whether it does. */
function putMetadata(to: Writer, event: EventAtHand): void {
  const { bytes, words, redactor, isSearched, keys, now } = event;
  const { metadata } = event.sent;
  if (metadata.start === ABSENT) {
    putNull(to);
    return;
  }
  const range = { bytes, words, from: metadata.start, to: metadata.stop };
  if (isSearched && (mayHold(range) || redactor.mayHoldMore(range))) {
    const sent = JSON.parse(bytes.toString("utf8", metadata.start, metadata.stop));
    const tidied = tidy(sent, METADATA, { now, suspicious: false, redact: keys, redactor });
    // A mark that was sent counts too.
    if (!("json" in tidied) || tidied.isChanged || tidied.json.includes("[redacted:")) giveUp();
  }
  putBounded(to, bytes, metadata, METADATA_BYTES);
}

/** An event that names itself is left to the careful way, which refuses it. */
function putParent(to: Writer, { bytes, sent, idAt }: EventAtHand): void {
  if (sent.parent_id.start === ABSENT) {
    putNull(to);
    return;
  }
  const at = to.at;
  putUuid(to, bytes, sent.parent_id);
  if (to.buffer.compare(to.buffer, idAt, idAt + UUID_BYTES, at, at + UUID_BYTES) === 0) giveUp();
}

/** A UUID and its length. */
const UUID_BYTES = 20;

const HYPHEN = 45;
const UUID_CHARS = 36;

/** Writes a UUID; room for it is reserved. @throws NOT_PLAIN when it is none */
function putUuid(to: Writer, bytes: Buffer, { start, stop, escaped }: Field): void {
  const hyphens = bytes[start + 8] === HYPHEN && bytes[start + 13] === HYPHEN;
  if (stop - start !== UUID_CHARS || escaped || !hyphens) giveUp();
  if (bytes[start + 18] !== HYPHEN || bytes[start + 23] !== HYPHEN) giveUp();
  const { buffer, at } = to;
  setInt32(buffer, at, 16);
  let wrong = 0;
  for (let index = 0; index < 16; index += 1) {
    const pair = start + (PAIRS[index] ?? 0);
    const high = HEX[bytes[pair] ?? 0] ?? 0;
    const low = HEX[bytes[pair + 1] ?? 0] ?? 0;
    wrong |= high | low;
    buffer[at + 4 + index] = (high << 4) | low;
  }
  if (wrong > 15) giveUp();
  to.at = at + 20;
}

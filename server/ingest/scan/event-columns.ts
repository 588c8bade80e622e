import { countRedactionMarksAsJson, findTriggers, mayContainTrigger, type Redactor } from "../../../redaction/index.ts";
import { extractMessage } from "../../resources/recorded/failures/message.ts";
import type { BodyContext } from "../capture/context.ts";
import { MAX_NAME_CHARS, MAX_PAYLOAD_BYTES, MAX_TYPE_CHARS, METADATA_LIMITS } from "../rules/bounds.ts";
import { cleanObject, truncateText } from "../rules/tidy.ts";
import {
  bool,
  EVENT_COLUMNS,
  type EventColumn,
  HEX_DIGIT_VALUES,
  int4,
  int8,
  json,
  putByteRange,
  putInt32,
  putNull,
  reserve,
  setInt32,
  text,
  timestamptz,
  UUID_HEX_PAIR_POSITIONS,
  uuid,
  type Writer,
} from "../tuple/index.ts";
import { type JsonCursor, throwNotPlainJson } from "./cursor.ts";
import { ABSENT_FIELD_START, createFields, type ScannedEventFields, type ScannedField } from "./fields.ts";

/**
 * State of reading one event: the positions of the event's fields, and the other data from which the event's tuple is
 * written.
 */
export interface ScannedEventState {
  bytes: Buffer;
  words: Int32Array;
  redactor: Redactor;
  /** False if no text of the body can contain a secret to redact or a mark to count. Texts then need no search. */
  isSearched: boolean;
  /** Names of metadata members whose values must be redacted. */
  keys: ReadonlySet<string>;
  /** Maximum number of bytes that the tuple takes before redaction. */
  room: number;
  /** Result after redaction. Undefined if the result contains nothing that may be a secret. */
  result: string | undefined;
  /** All texts that may contain secrets or marks. */
  suspects: string[];
  fields: ScannedEventFields;
  sent: ScannedEventFields["sent"];
  organizationId: string;
  now: number;
  /** Time that the event contains, or the time when the event arrived. */
  time: number;
  /** Position of the id in the tuple. */
  idAt: number;
  /**
   * Session id of the previous event, and the position of this id in the body. Kept because most events have the same
   * session as the previous event.
   */
  session: string;
  sessionAt: number;
}

/**
 * Creates the state for reading the events of a body. All events are read into the same object, one after the other.
 */
export function createEventState(
  { bytes, words }: JsonCursor,
  { organizationId, now, redaction, scan: { redactor } }: BodyContext,
): ScannedEventState {
  const fields = createFields();
  const { sent } = fields;
  const place = { idAt: 0, session: "", sessionAt: ABSENT_FIELD_START, room: 0, result: undefined, suspects: [] };
  const isSearched = redactor.isOn || MARK_SPELLINGS.some((spelling) => bytes.includes(spelling));
  const rules = { redactor, isSearched, keys: redaction.keys };
  return { bytes, words, ...rules, fields, sent, organizationId, now, time: now, ...place };
}

/**
 * Texts with which a mark may begin. The second text is the beginning of an escape sequence, because the letters of a
 * mark may be escaped. Marks in the sent text are counted even when redaction is off.
 */
const MARK_SPELLINGS = ["[redacted:", "\\u00"];

type Put = (to: Writer, event: ScannedEventState) => void;

/** Writer of each column. EVENT_COLUMNS defines the order. */
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
  latency: (to, { sent }) =>
    sent.latency.start === ABSENT_FIELD_START ? putNull(to) : int8.put(to, sent.latency.value),
  sanitized: (to) => int4.put(to, 0), // Text that needs replacements is left to the careful reader.
  timestamp_sent: (to, { sent }) => bool.put(to, sent.timestamp.start !== ABSENT_FIELD_START),
  success: (to, { sent }) => bool.put(to, !hasFailed(sent)),
  primitive_name: (to, event) => putRedacted(to, event, event.sent.primitive_name, { least: 1, most: MAX_NAME_CHARS }),
  primitive_type: (to, event) =>
    isEmpty(event.sent.primitive_type)
      ? putNull(to)
      : putRedacted(to, event, event.sent.primitive_type, { least: 1, most: MAX_TYPE_CHARS }),
  args: (to, event) => putRedacted(to, event, event.sent.args, PAYLOAD),
  result: (to, event) => {
    event.result = putRedacted(to, event, event.sent.result, PAYLOAD);
  },
  metadata: putMetadata,
  message: (to, { bytes, sent, result }) =>
    hasFailed(sent) ? text.put(to, extractMessage(result ?? decodeFieldText(bytes, sent.result))) : putNull(to),
  redacted: (to, { suspects }) => {
    const marks = suspects.length > 0 ? countRedactionMarksAsJson(suspects) : null;
    if (marks === null) putNull(to);
    else json.put(to, marks);
    suspects.length = 0;
  },
  computed_cost: putNull, // Events with usage in metadata are left to the careful reader.
};

const PAYLOAD = { least: 0, most: MAX_PAYLOAD_BYTES };
const METADATA_BYTES = { least: 0, most: METADATA_LIMITS.bytes };

/** Writers in the order of the columns. */
export const COLUMN_WRITERS: readonly Put[] = EVENT_COLUMNS.map(({ name }) => PUT[name]);

export const hasFailed = ({ success }: ScannedEventState["sent"]): boolean =>
  success.start !== ABSENT_FIELD_START && success.value !== 1;

export const decodeFieldText = (bytes: Buffer, { start, stop, escaped }: ScannedField): string =>
  escaped ? JSON.parse(bytes.toString("utf8", start - 1, stop + 1)) : bytes.toString("utf8", start, stop);

const isEmpty = ({ start, stop }: ScannedField) => start === ABSENT_FIELD_START || start === stop;

/**
 * Writes a text whose size in bytes is limited. Some fields have a limit in characters. For these fields, checking the
 * bytes is stricter and therefore sufficient.
 */
function putBounded(
  to: Writer,
  bytes: Buffer,
  field: ScannedField,
  { least, most }: { least: number; most: number },
): void {
  const length = field.stop - field.start;
  if (field.start === ABSENT_FIELD_START || length < least || length > most) throwNotPlainJson();
  // No further space is needed: decoded text is never longer than its spelling in the body, for which space is already
  // reserved.
  if (!field.escaped) {
    putInt32(to, length);
    putByteRange(to, bytes, field.start, field.stop);
  } else {
    const written = to.buffer.write(decodeFieldText(bytes, field), to.at + 4);
    setInt32(to.buffer, to.at, written);
    to.at += 4 + written;
  }
}

/**
 * Redacts the secrets in a text and writes the text. Returns the written text if the text may contain secrets or marks,
 * otherwise undefined. Most texts contain no trigger and are copied unchanged.
 */
function putRedacted(
  to: Writer,
  { bytes, words, redactor, isSearched, room, suspects }: ScannedEventState,
  field: ScannedField,
  bounds: { least: number; most: number },
): string | undefined {
  const range = { bytes, words, from: field.start, to: field.stop };
  const isRead = isSearched && field.start !== ABSENT_FIELD_START;
  const triggers = isRead ? findTriggers(range) : [];
  if (triggers.length === 0 && !(isRead && redactor.mayHoldMore(range))) {
    putBounded(to, bytes, field, bounds);
    return undefined;
  }
  const sent = decodeFieldText(bytes, field);
  // If each character is one byte, the positions of the triggers in the bytes are also their positions in the text.
  const length = field.stop - field.start;
  const isPlain = !field.escaped && sent.length === length;
  const inText = isPlain ? triggers.map(({ at, literal }) => ({ at: at - field.start, literal })) : undefined;
  const kept = redactor.text(sent, inText);
  if (kept === sent) {
    putBounded(to, bytes, field, bounds);
    suspects.push(sent);
    return sent;
  }
  if (length < bounds.least || length > bounds.most) throwNotPlainJson();
  const cut = truncateText(kept, bounds.most);
  suspects.push(cut);
  text.put(to, cut);
  // Reserves the space again, because a mark may be longer than the secret that it replaces. The columns after this one
  // rely on reserved space.
  reserve(to, room);
  return cut;
}

/**
 * Writes the metadata. If the metadata may contain a secret, the code of the careful reader checks for secrets. If
 * there is a secret, gives up, so that the careful reader redacts the metadata.
 */
function putMetadata(to: Writer, event: ScannedEventState): void {
  const { bytes, words, redactor, isSearched, keys, now } = event;
  const { metadata } = event.sent;
  if (metadata.start === ABSENT_FIELD_START) {
    putNull(to);
    return;
  }
  const range = { bytes, words, from: metadata.start, to: metadata.stop };
  if (isSearched && (mayContainTrigger(range) || redactor.mayHoldMore(range))) {
    const sent = JSON.parse(bytes.toString("utf8", metadata.start, metadata.stop));
    const tidied = cleanObject(sent, METADATA_LIMITS, { now, suspicious: false, redact: keys, redactor });
    // Gives up also for a mark in the sent metadata, because marks are counted.
    if (!("json" in tidied) || tidied.isChanged || tidied.json.includes("[redacted:")) throwNotPlainJson();
  }
  putBounded(to, bytes, metadata, METADATA_BYTES);
}

/** Writes the parent id. Gives up if an event is its own parent; the careful reader then rejects the event. */
function putParent(to: Writer, { bytes, sent, idAt }: ScannedEventState): void {
  if (sent.parent_id.start === ABSENT_FIELD_START) {
    putNull(to);
    return;
  }
  const at = to.at;
  putUuid(to, bytes, sent.parent_id);
  if (to.buffer.compare(to.buffer, idAt, idAt + UUID_BYTES, at, at + UUID_BYTES) === 0) throwNotPlainJson();
}

/** Number of bytes of a UUID, including the length prefix. */
const UUID_BYTES = 20;

const HYPHEN = 45;
const UUID_CHARS = 36;

/** Writes a UUID. The caller has reserved the space. @throws NOT_PLAIN_JSON_ERROR when the field is not a UUID */
function putUuid(to: Writer, bytes: Buffer, { start, stop, escaped }: ScannedField): void {
  const hyphens = bytes[start + 8] === HYPHEN && bytes[start + 13] === HYPHEN;
  if (stop - start !== UUID_CHARS || escaped || !hyphens) throwNotPlainJson();
  if (bytes[start + 18] !== HYPHEN || bytes[start + 23] !== HYPHEN) throwNotPlainJson();
  const { buffer, at } = to;
  setInt32(buffer, at, 16);
  let wrong = 0;
  for (let index = 0; index < 16; index += 1) {
    const pair = start + (UUID_HEX_PAIR_POSITIONS[index] ?? 0);
    const high = HEX_DIGIT_VALUES[bytes[pair] ?? 0] ?? 0;
    const low = HEX_DIGIT_VALUES[bytes[pair + 1] ?? 0] ?? 0;
    wrong |= high | low;
    buffer[at + 4 + index] = (high << 4) | low;
  }
  if (wrong > 15) throwNotPlainJson();
  to.at = at + 20;
}

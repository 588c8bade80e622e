import { countMarks, mayHold, type Redactor, triggersIn } from "../../../redaction/index.ts";
import { extractMessage } from "../../resources/recorded/failures/message.ts";
import type { BodyContext } from "../capture/context.ts";
import { METADATA_LIMITS, NAME_CHARS, PAYLOAD_BYTES, TYPE_CHARS } from "../rules/bounds.ts";
import { cleanObject, truncateText } from "../rules/tidy.ts";
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
import { ABSENT, createFields, type Field, type Fields } from "./fields.ts";

/** Event that is being read: the positions of its fields, and the other inputs of its tuple. */
export interface ScannedEventState {
  bytes: Buffer;
  words: Int32Array;
  redactor: Redactor;
  /** False if no text of the body can contain a secret to redact or a mark to count. */
  isSearched: boolean;
  /** Names of metadata members whose values must be redacted. */
  keys: ReadonlySet<string>;
  /** Bytes that the tuple may take before redaction. */
  room: number;
  /** Redacted result, if the result may contain secrets. */
  result: string | undefined;
  /** All texts that may contain secrets or marks. */
  suspects: string[];
  fields: Fields;
  sent: Fields["sent"];
  organizationId: string;
  now: number;
  /** Event's own time, or its arrival. */
  time: number;
  /** Position of the id in the tuple. */
  idAt: number;
  /** Session of the previous event and its position. Most events repeat the session. */
  session: string;
  sessionAt: number;
}

/** Creates the event object. All events of a body are read into the same object in turn. */
export function createEventState(
  { bytes, words }: Cursor,
  { organizationId, now, redaction, scan: { redactor } }: BodyContext,
): ScannedEventState {
  const fields = createFields();
  const { sent } = fields;
  const place = { idAt: 0, session: "", sessionAt: ABSENT, room: 0, result: undefined, suspects: [] };
  const isSearched = redactor.isOn || MARK_SPELLINGS.some((spelling) => bytes.includes(spelling));
  const rules = { redactor, isSearched, keys: redaction.keys };
  return { bytes, words, ...rules, fields, sent, organizationId, now, time: now, ...place };
}

/**
 * A mark in the sent text counts even when redaction is off. A mark begins with one of these texts, because escapes may
 * spell its letters.
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
  latency: (to, { sent }) => (sent.latency.start === ABSENT ? putNull(to) : int8.put(to, sent.latency.value)),
  sanitized: (to) => int4.put(to, 0), // Text that needs replacements is left to the careful reader.
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
    hasFailed(sent) ? text.put(to, extractMessage(result ?? textAt(bytes, sent.result))) : putNull(to),
  redacted: (to, { suspects }) => {
    const marks = suspects.length > 0 ? countMarks(suspects) : null;
    if (marks === null) putNull(to);
    else json.put(to, marks);
    suspects.length = 0;
  },
  computed_cost: putNull, // Events with usage in metadata are left to the careful reader.
};

const PAYLOAD = { least: 0, most: PAYLOAD_BYTES };
const METADATA_BYTES = { least: 0, most: METADATA_LIMITS.bytes };

/** Writers in the order of the columns. */
export const COLUMN_WRITERS: readonly Put[] = EVENT_COLUMNS.map(({ name }) => PUT[name]);

export const hasFailed = ({ success }: ScannedEventState["sent"]): boolean =>
  success.start !== ABSENT && success.value !== 1;

export const textAt = (bytes: Buffer, { start, stop, escaped }: Field): string =>
  escaped ? JSON.parse(bytes.toString("utf8", start - 1, stop + 1)) : bytes.toString("utf8", start, stop);

const isEmpty = ({ start, stop }: Field) => start === ABSENT || start === stop;

/**
 * Writes a text of limited bytes. For fields with a limit on characters, checking bytes is stricter and therefore
 * sufficient.
 */
function putBounded(to: Writer, bytes: Buffer, field: Field, { least, most }: { least: number; most: number }): void {
  const length = field.stop - field.start;
  if (field.start === ABSENT || length < least || length > most) giveUp();
  // Decoded text is never longer than its spelling, for which space is reserved.
  if (!field.escaped) {
    putInt32(to, length);
    putCopy(to, bytes, field.start, field.stop);
  } else {
    const written = to.buffer.write(textAt(bytes, field), to.at + 4);
    setInt32(to.buffer, to.at, written);
    to.at += 4 + written;
  }
}

/**
 * Writes a text with its secrets redacted. Returns the text if it may contain secrets. Most texts contain no trigger.
 */
function putRedacted(
  to: Writer,
  { bytes, words, redactor, isSearched, room, suspects }: ScannedEventState,
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
  // One byte per character: the triggers have the same positions in the text.
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
  const cut = truncateText(kept, bounds.most);
  suspects.push(cut);
  text.put(to, cut);
  // A mark may be longer than the redacted secret. The following columns rely on reserved space.
  reserve(to, room);
  return cut;
}

/**
 * Metadata with secrets is left to the careful reader. If metadata may contain a secret, the careful reader's code
 * decides.
 */
function putMetadata(to: Writer, event: ScannedEventState): void {
  const { bytes, words, redactor, isSearched, keys, now } = event;
  const { metadata } = event.sent;
  if (metadata.start === ABSENT) {
    putNull(to);
    return;
  }
  const range = { bytes, words, from: metadata.start, to: metadata.stop };
  if (isSearched && (mayHold(range) || redactor.mayHoldMore(range))) {
    const sent = JSON.parse(bytes.toString("utf8", metadata.start, metadata.stop));
    const tidied = cleanObject(sent, METADATA_LIMITS, { now, suspicious: false, redact: keys, redactor });
    // A mark in the sent metadata also counts.
    if (!("json" in tidied) || tidied.isChanged || tidied.json.includes("[redacted:")) giveUp();
  }
  putBounded(to, bytes, metadata, METADATA_BYTES);
}

/** An event that names itself as parent is left to the careful reader, which rejects the event. */
function putParent(to: Writer, { bytes, sent, idAt }: ScannedEventState): void {
  if (sent.parent_id.start === ABSENT) {
    putNull(to);
    return;
  }
  const at = to.at;
  putUuid(to, bytes, sent.parent_id);
  if (to.buffer.compare(to.buffer, idAt, idAt + UUID_BYTES, at, at + UUID_BYTES) === 0) giveUp();
}

/** Bytes of a UUID with its length prefix. */
const UUID_BYTES = 20;

const HYPHEN = 45;
const UUID_CHARS = 36;

/** Writes a UUID. The caller has reserved the space. @throws NOT_PLAIN when the field is not a UUID */
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

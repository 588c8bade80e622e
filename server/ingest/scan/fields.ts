import { METADATA } from "../rules/bounds.ts";
import { hides } from "../rules/redaction.ts";
import { CLOSE_BRACE, type Cursor, colon, giveUp, more, next, OPEN_BRACE, open, readString } from "./cursor.ts";
import { isDigit, readBoolean, readInteger, readNull, readValue } from "./value.ts";

/** A field of an event and where the event at hand has it; the next event is read into the same place. */
export interface Field {
  /** As it is spelled, with its quotes. */
  key: Buffer;
  read(from: Cursor, into: Field): void;
  /** ABSENT, or where its value begins. */
  start: number;
  stop: number;
  escaped: boolean;
  /** The value of a number; 1 for true. */
  value: number;
  /** The field that came after it last time: events of one client mostly have the same order. */
  follower: Field | undefined;
}

/** The start of a field that was not sent, or sent as null. */
export const ABSENT = -1;

/** A field of which nothing is read yet. */
const newField = (name: string, read: Field["read"]): Field => ({
  key: Buffer.from(`"${name}"`),
  read,
  start: ABSENT,
  stop: ABSENT,
  escaped: false,
  value: 0,
  follower: undefined,
});

/** Reads a text; it stays where it is spelled. */
const readText: Field["read"] = (from, into) => {
  readString(from);
  into.start = from.start;
  into.stop = from.stop;
  into.escaped = from.escaped;
};

/** Reads a whole number. */
const readWhole: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readInteger(from);
};

/** Reads true or false. */
const readFlag: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readBoolean(from) ? 1 : 0;
};

/** Passes over an object, and gives up where it needs a closer look. */
const readObject: Field["read"] = (from, into) => {
  if (next(from) !== OPEN_BRACE) giveUp();
  const start = from.at;
  readValue(from, METADATA.levels, checkKey);
  into.start = start;
  into.stop = from.at;
};

const CHECKPOINT = Buffer.from("checkpoint.");
const GEN_AI = Buffer.from("gen_ai.");

/** Gives up at keys that need a closer look: secrets, tokens and their like, odd characters, checkpoints that are no times. */
function checkKey(from: Cursor, level: number): void {
  const { bytes, start, stop } = from;
  if (level === 1 && bytes[start] === GEN_AI[0] && isGenAi(bytes, start, stop)) giveUp();
  if (from.escaped || hides(from.redaction, bytes, start, stop)) giveUp();
  let alike = level === 1;
  for (let at = start; at < stop; at += 1) {
    const code = bytes[at] ?? 0;
    if (code > 127) giveUp();
    alike &&= at - start >= CHECKPOINT.length || code === CHECKPOINT[at - start];
  }
  if (alike && stop - start >= CHECKPOINT.length && !isDigit(bytes[from.at])) giveUp();
}

const isGenAi = (bytes: Buffer, start: number, stop: number): boolean =>
  stop - start > GEN_AI.length && bytes.compare(GEN_AI, 0, GEN_AI.length, start, start + GEN_AI.length) === 0;

const LOWER_N = 110;

/** The fields of an event, none of them read. */
const newFields = () => ({
  event_id: newField("event_id", readText),
  session_id: newField("session_id", readText),
  primitive_name: newField("primitive_name", readText),
  primitive_type: newField("primitive_type", readText),
  args: newField("args", readText),
  result: newField("result", readText),
  success: newField("success", readFlag),
  latency: newField("latency", readWhole),
  timestamp: newField("timestamp", readWhole),
  parent_id: newField("parent_id", readText),
  metadata: newField("metadata", readObject),
});

/** The fields of the event at hand, by name and as a list; each event of a body is read into the same. */
export interface Fields {
  sent: ReturnType<typeof newFields>;
  all: readonly Field[];
  /** Stands before the first: its follower begins most events. */
  begin: Field;
}

/** The fields into which the events of one body are read. */
export function fieldsOfBody(): Fields {
  const sent = newFields();
  return { sent, all: Object.values(sent), begin: newField("", readText) };
}

/** Reads the members of an event, from its brace to its brace. */
export function readFields(from: Cursor, fields: Fields): void {
  for (const field of fields.all) field.start = ABSENT;
  if (!open(from, OPEN_BRACE, CLOSE_BRACE)) return;
  let before = fields.begin;
  do {
    next(from);
    const into = fieldAt(from, fields.all, before);
    if (into) before = readField(from, into);
    else readUnknown(from);
  } while (more(from, CLOSE_BRACE));
}

function fieldAt(from: Cursor, all: readonly Field[], before: Field): Field | undefined {
  const { follower } = before;
  if (follower && isKey(from, follower.key)) return follower;
  const found = all.find(({ key }) => isKey(from, key));
  if (found) before.follower = found;
  return found;
}

function isKey({ bytes, at }: Cursor, key: Buffer): boolean {
  for (let index = 0; index < key.length; index += 1) if (bytes[at + index] !== key[index]) return false;
  return true;
}

/** `null` counts as absent; of equal keys the last would count, which the careful way knows. */
function readField(from: Cursor, into: Field): Field {
  from.at += into.key.length;
  colon(from);
  if (into.start !== ABSENT) giveUp();
  if (next(from) === LOWER_N) readNull(from);
  else into.read(from, into);
  return into;
}

function readUnknown(from: Cursor): void {
  readString(from);
  if (from.escaped) giveUp();
  colon(from);
  readValue(from, METADATA.levels, () => {});
}

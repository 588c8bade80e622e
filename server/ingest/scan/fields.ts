import { METADATA_LIMITS } from "../rules/bounds.ts";
import { isRedactedName } from "../rules/redaction.ts";
import {
  CLOSE_BRACE,
  type Cursor,
  giveUp,
  hasMoreMembers,
  OPEN_BRACE,
  openContainer,
  readString,
  skipColon,
  skipToValue,
} from "./cursor.ts";
import { isDigit, readBoolean, readInteger, readNull, readValue } from "./value.ts";

/** Field of an event, and the position of its value in the current event. The next event reuses the object. */
export interface Field {
  /** Name as spelled, with its quotes. */
  key: Buffer;
  read(from: Cursor, into: Field): void;
  /** Start of the value, or ABSENT. */
  start: number;
  stop: number;
  escaped: boolean;
  /** Value of a number; 1 for true. */
  value: number;
  /** Field that followed last time. Events of one client usually have the same order of fields. */
  follower: Field | undefined;
}

/** Start of a field that was not sent, or sent as null. */
export const ABSENT = -1;

const newField = (name: string, read: Field["read"]): Field => ({
  key: Buffer.from(`"${name}"`),
  read,
  start: ABSENT,
  stop: ABSENT,
  escaped: false,
  value: 0,
  follower: undefined,
});

/** Reads a text. The text stays in the body; only its position is stored. */
const readText: Field["read"] = (from, into) => {
  readString(from);
  into.start = from.start;
  into.stop = from.stop;
  into.escaped = from.escaped;
};

const readWhole: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readInteger(from);
};

const readFlag: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readBoolean(from) ? 1 : 0;
};

/** Skips an object, and gives up if the object needs the careful reader. */
const readObject: Field["read"] = (from, into) => {
  if (skipToValue(from) !== OPEN_BRACE) giveUp();
  const start = from.at;
  readValue(from, METADATA_LIMITS.levels, checkKey);
  into.start = start;
  into.stop = from.at;
};

const CHECKPOINT = Buffer.from("checkpoint.");
const GEN_AI = Buffer.from("gen_ai.");

/**
 * Gives up at names that need the careful reader: names of secrets, names of token counts and other usage, names with
 * unusual characters, and checkpoints without a numeric time.
 */
function checkKey(from: Cursor, level: number): void {
  const { bytes, start, stop } = from;
  if (level === 1 && bytes[start] === GEN_AI[0] && isGenAi(bytes, start, stop)) giveUp();
  if (from.escaped || isRedactedName(from.redaction, bytes, start, stop)) giveUp();
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

/** Creates the fields of an event, all absent. */
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

/** Fields of the current event, by name and as a list. All events of a body are read into the same fields. */
export interface Fields {
  sent: ReturnType<typeof newFields>;
  all: readonly Field[];
  /** Precedes the first field. Its follower is the first field of most events. */
  begin: Field;
}

export function createFields(): Fields {
  const sent = newFields();
  return { sent, all: Object.values(sent), begin: newField("", readText) };
}

/** Reads the members of an event, including the braces. */
export function readFields(from: Cursor, fields: Fields): void {
  for (const field of fields.all) field.start = ABSENT;
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) return;
  let before = fields.begin;
  do {
    skipToValue(from);
    const into = fieldAt(from, fields.all, before);
    if (into) before = readField(from, into);
    else readUnknown(from);
  } while (hasMoreMembers(from, CLOSE_BRACE));
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

/**
 * `null` counts as absent. If a name is repeated, the last value would count; the careful reader handles repeated
 * names.
 */
function readField(from: Cursor, into: Field): Field {
  from.at += into.key.length;
  skipColon(from);
  if (into.start !== ABSENT) giveUp();
  if (skipToValue(from) === LOWER_N) readNull(from);
  else into.read(from, into);
  return into;
}

function readUnknown(from: Cursor): void {
  readString(from);
  if (from.escaped) giveUp();
  skipColon(from);
  readValue(from, METADATA_LIMITS.levels, () => {});
}

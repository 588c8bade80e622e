import { METADATA_LIMITS } from "../rules/bounds.ts";
import { isRedactedName } from "../rules/redaction.ts";
import {
  CLOSE_BRACE,
  hasMoreMembers,
  type JsonCursor,
  OPEN_BRACE,
  openContainer,
  scanString,
  skipColon,
  skipToValue,
  throwNotPlainJson,
} from "./cursor.ts";
import { isDigit, scanBoolean, scanInteger, scanNull, scanValue } from "./value.ts";

/**
 * Field of an event, with the position of the field's value in the current event. The same object is used for the next
 * event.
 */
export interface ScannedField {
  /** Name of the field as spelled in JSON, including the quotes. */
  key: Buffer;
  read(from: JsonCursor, into: ScannedField): void;
  /** Start of the value, or ABSENT. */
  start: number;
  stop: number;
  escaped: boolean;
  /** Value of a number; 1 for true. */
  value: number;
  /**
   * Field that followed this field in an earlier event. Checked first, because a client usually sends the fields of all
   * events in the same order.
   */
  follower: ScannedField | undefined;
}

/** Start of a field that was not sent, or sent as null. */
export const ABSENT_FIELD_START = -1;

const newField = (name: string, read: ScannedField["read"]): ScannedField => ({
  key: Buffer.from(`"${name}"`),
  read,
  start: ABSENT_FIELD_START,
  stop: ABSENT_FIELD_START,
  escaped: false,
  value: 0,
  follower: undefined,
});

/** Reads a text. The text stays in the body; only its position is stored. */
const readText: ScannedField["read"] = (from, into) => {
  scanString(from);
  into.start = from.start;
  into.stop = from.stop;
  into.escaped = from.escaped;
};

const readWhole: ScannedField["read"] = (from, into) => {
  into.start = from.at;
  into.value = scanInteger(from);
};

const readFlag: ScannedField["read"] = (from, into) => {
  into.start = from.at;
  into.value = scanBoolean(from) ? 1 : 0;
};

/** Skips an object. Gives up if the careful reader must read the object. */
const readObject: ScannedField["read"] = (from, into) => {
  if (skipToValue(from) !== OPEN_BRACE) throwNotPlainJson();
  const start = from.at;
  scanValue(from, METADATA_LIMITS.levels, checkKey);
  into.start = start;
  into.stop = from.at;
};

const CHECKPOINT = Buffer.from("checkpoint.");
const GEN_AI = Buffer.from("gen_ai.");

/**
 * Gives up at names that the careful reader must handle. Such names are: names of secrets, names of token counts and
 * other usage, names with escapes or characters outside ASCII, and names of checkpoints whose value does not begin with
 * a digit.
 */
function checkKey(from: JsonCursor, level: number): void {
  const { bytes, start, stop } = from;
  if (level === 1 && bytes[start] === GEN_AI[0] && isGenAi(bytes, start, stop)) throwNotPlainJson();
  if (from.escaped || isRedactedName(from.redaction, bytes, start, stop)) throwNotPlainJson();
  let alike = level === 1;
  for (let at = start; at < stop; at += 1) {
    const code = bytes[at] ?? 0;
    if (code > 127) throwNotPlainJson();
    alike &&= at - start >= CHECKPOINT.length || code === CHECKPOINT[at - start];
  }
  if (alike && stop - start >= CHECKPOINT.length && !isDigit(bytes[from.at])) throwNotPlainJson();
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

/** Fields of the current event, by name and as a list. All events of a body are read into the same Field objects. */
export interface ScannedEventFields {
  sent: ReturnType<typeof newFields>;
  all: readonly ScannedField[];
  /**
   * Imaginary field before the first field. The `follower` of the imaginary field is the field with which most events
   * begin.
   */
  begin: ScannedField;
}

export function createFields(): ScannedEventFields {
  const sent = newFields();
  return { sent, all: Object.values(sent), begin: newField("", readText) };
}

/** Reads the members of an event, including the braces. */
export function scanEventFields(from: JsonCursor, fields: ScannedEventFields): void {
  for (const field of fields.all) field.start = ABSENT_FIELD_START;
  if (!openContainer(from, OPEN_BRACE, CLOSE_BRACE)) return;
  let before = fields.begin;
  do {
    skipToValue(from);
    const into = fieldAt(from, fields.all, before);
    if (into) before = readField(from, into);
    else readUnknown(from);
  } while (hasMoreMembers(from, CLOSE_BRACE));
}

function fieldAt(from: JsonCursor, all: readonly ScannedField[], before: ScannedField): ScannedField | undefined {
  const { follower } = before;
  if (follower && isKey(from, follower.key)) return follower;
  const found = all.find(({ key }) => isKey(from, key));
  if (found) before.follower = found;
  return found;
}

function isKey({ bytes, at }: JsonCursor, key: Buffer): boolean {
  for (let index = 0; index < key.length; index += 1) if (bytes[at + index] !== key[index]) return false;
  return true;
}

/**
 * Reads the value of a field; `null` counts as absent. Gives up if the name occurs a second time: the last value
 * counts, and only the careful reader handles repeated names.
 */
function readField(from: JsonCursor, into: ScannedField): ScannedField {
  from.at += into.key.length;
  skipColon(from);
  if (into.start !== ABSENT_FIELD_START) throwNotPlainJson();
  if (skipToValue(from) === LOWER_N) scanNull(from);
  else into.read(from, into);
  return into;
}

function readUnknown(from: JsonCursor): void {
  scanString(from);
  if (from.escaped) throwNotPlainJson();
  skipColon(from);
  scanValue(from, METADATA_LIMITS.levels, () => {});
}

import { METADATA } from "../rules/bounds.ts";
import { CLOSE_BRACE, colon, giveUp, more, next, OPEN_BRACE, open } from "./cursor.ts";
import { ABSENT, type Field, newField, readFlag, readObject, readText, readWhole, type Scan } from "./field.ts";
import { readString } from "./string.ts";
import { readNull, readValue } from "./value.ts";

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
export function readFields(from: Scan, fields: Fields): void {
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

function fieldAt(from: Scan, all: readonly Field[], before: Field): Field | undefined {
  const { follower } = before;
  if (follower && isKey(from, follower.key)) return follower;
  const found = all.find(({ key }) => isKey(from, key));
  if (found) before.follower = found;
  return found;
}

function isKey({ bytes, at }: Scan, key: Buffer): boolean {
  for (let index = 0; index < key.length; index += 1) if (bytes[at + index] !== key[index]) return false;
  return true;
}

/** `null` counts as absent; of equal keys the last would count, which the careful way knows. */
function readField(from: Scan, into: Field): Field {
  from.at += into.key.length;
  colon(from);
  if (into.start !== ABSENT) giveUp();
  if (next(from) === LOWER_N) readNull(from);
  else into.read(from, into);
  return into;
}

function readUnknown(from: Scan): void {
  readString(from);
  if (from.escaped) giveUp();
  colon(from);
  readValue(from, METADATA.levels, () => {});
}

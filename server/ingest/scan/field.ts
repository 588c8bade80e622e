import { METADATA } from "../rules/bounds.ts";
import { hides, type Redaction } from "../rules/redaction.ts";
import { type Cursor, giveUp, next, OPEN_BRACE } from "./cursor.ts";
import { readString } from "./string.ts";
import { isDigit, readBoolean, readInteger, readValue } from "./value.ts";

/** A place in a body, and what its metadata may not hold. */
export interface Scan extends Cursor {
  redaction: Redaction;
}

/** A field of an event and where the event at hand has it; the next event is read into the same place. */
export interface Field {
  /** As it is spelled, with its quotes. */
  key: Buffer;
  read(from: Scan, into: Field): void;
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
export const newField = (name: string, read: Field["read"]): Field => ({
  key: Buffer.from(`"${name}"`),
  read,
  start: ABSENT,
  stop: ABSENT,
  escaped: false,
  value: 0,
  follower: undefined,
});

/** Reads a text; it stays where it is spelled. */
export const readText: Field["read"] = (from, into) => {
  readString(from);
  into.start = from.start;
  into.stop = from.stop;
  into.escaped = from.escaped;
};

/** Reads a whole number. */
export const readWhole: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readInteger(from);
};

/** Reads true or false. */
export const readFlag: Field["read"] = (from, into) => {
  into.start = from.at;
  into.value = readBoolean(from) ? 1 : 0;
};

/** Passes over an object, and gives up where it needs a closer look. */
export const readObject: Field["read"] = (from, into) => {
  if (next(from) !== OPEN_BRACE) giveUp();
  const start = from.at;
  readValue(from, METADATA.levels, checkKey);
  into.start = start;
  into.stop = from.at;
};

const CHECKPOINT = Buffer.from("checkpoint.");
const GEN_AI = Buffer.from("gen_ai.");

/** Gives up at keys that need a closer look: secrets, tokens and their like, odd characters, checkpoints that are no times. */
function checkKey(from: Scan, level: number): void {
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

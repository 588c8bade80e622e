import { putInt32, putInt64, reserve, setInt32, type Writer } from "./writer.ts";

/** PostgreSQL type: its name, its oid, and how to write a value in binary with a length prefix. */
export interface PostgresType<Value> {
  sql: string;
  oid: number;
  put(to: Writer, value: Value): void;
}

/** Value of a hexadecimal digit by its character code; 255 for other bytes. */
export const HEX_DIGIT_VALUES = new Uint8Array(256).fill(255);
for (let digit = 0; digit < 16; digit += 1) {
  const char = digit.toString(16);
  HEX_DIGIT_VALUES[char.charCodeAt(0)] = HEX_DIGIT_VALUES[char.toUpperCase().charCodeAt(0)] = digit;
}
/** Positions of the sixteen pairs of digits in a hyphenated UUID. */
export const UUID_HEX_PAIR_POSITIONS = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34);
/** PostgreSQL counts the microseconds of a timestamp from 2000-01-01 UTC. */
const EPOCH = Date.UTC(2000, 0, 1);
/** For ASCII strings up to this length, a loop is faster than calling the encoder. */
const SHORT = 24;

/** Expects a valid UUID in lower case with hyphens. */
export const uuid: PostgresType<string> = {
  sql: "uuid",
  oid: 2950,
  put(to, value) {
    putInt32(to, 16);
    reserve(to, 16);
    const { buffer, at } = to;
    for (let index = 0; index < 16; index += 1) {
      const pair = UUID_HEX_PAIR_POSITIONS[index] ?? 0;
      buffer[at + index] =
        ((HEX_DIGIT_VALUES[value.charCodeAt(pair)] ?? 0) << 4) | (HEX_DIGIT_VALUES[value.charCodeAt(pair + 1)] ?? 0);
    }
    to.at = at + 16;
  },
};

/** Creates a character type. `version` is the byte with which some formats begin. */
const characters = (sql: string, oid: number, version?: number): PostgresType<string> => ({
  sql,
  oid,
  put(to, value) {
    reserve(to, 5 + value.length * 3);
    const start = to.at;
    to.at += 4;
    if (version !== undefined) to.buffer[to.at++] = version;
    to.at += putAscii(to.buffer, to.at, value) ?? to.buffer.write(value, to.at);
    setInt32(to.buffer, start, to.at - start - 4);
  },
});

/** Expects text without U+0000 and lone surrogates. */
export const text = characters("text", 25);

/** Expects JSON text. */
export const json = characters("json", 114);

/** Expects JSON text. */
export const jsonb = characters("jsonb", 3802, 1);

export const int4: PostgresType<number> = {
  sql: "integer",
  oid: 23,
  put(to, value) {
    putInt32(to, 4);
    putInt32(to, value);
  },
};

/** Expects 0 to 2^53. */
export const int8: PostgresType<number> = {
  sql: "bigint",
  oid: 20,
  put(to, value) {
    putInt32(to, 8);
    putInt64(to, value);
  },
};

export const bool: PostgresType<boolean> = {
  sql: "boolean",
  oid: 16,
  put(to, value) {
    putInt32(to, 1);
    reserve(to, 1);
    to.buffer[to.at++] = value ? 1 : 0;
  },
};

/** Expects a time in epoch milliseconds, not before the year 2000. */
export const timestamptz: PostgresType<number> = {
  sql: "timestamptz",
  oid: 1184,
  put(to, value) {
    putInt32(to, 8);
    putInt64(to, (value - EPOCH) * 1000);
  },
};

/** Writes a short ASCII string and returns its length; undefined for other strings. */
function putAscii(buffer: Buffer, start: number, value: string): number | undefined {
  if (value.length > SHORT) return undefined;
  for (let index = 0; index < value.length; index += 1) {
    const code = value.charCodeAt(index);
    if (code > 127) return undefined;
    buffer[start + index] = code;
  }
  return value.length;
}

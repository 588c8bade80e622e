import { uuidv7 } from "uuidv7";

/** Request body that is expensive for its size, and the position of the expensive part. */
export interface ExpensiveBody {
  endpoint: string;
  name: string;
  body(): Buffer;
}

const MIB = 1024 * 1024;
/** Maximum size in bytes of the expensive part: the limit of ingestion, less the surrounding body. */
const FULL = 10 * MIB - 64 * 1024;

/** Available size for a part of a body. */
interface Room {
  bytes: number;
  values: number;
}

/** Repeats `piece` with commas until the size is used up; `piece` receives the index. */
function filled({ bytes, values }: Room, piece: (index: number) => string): string {
  const first = piece(0);
  const each = first.split('":').length - (first.startsWith('"') && first.includes('":') ? 1 : 0);
  const pieces: string[] = [];
  for (let size = 0; pieces.length < values / each; ) {
    const next = piece(pieces.length);
    size += next.length + 1;
    if (size > bytes) break;
    pieces.push(next);
  }
  return pieces.join(",");
}

const hex = (index: number) => index.toString(16);

/** Generators of JSON text of a given size. Each value is expensive to parse, to traverse or to serialize. */
const VALUES: Record<string, (room: Room) => string> = {
  "many members": (room) => `{${filled(room, (index) => `"k${hex(index)}":1`)}}`,
  "many members with short keys": (room) => `{${filled(room, (index) => `"${hex(index)}":{}`)}}`,
  "many members named by numbers": (room) => `{${filled(room, (index) => `"${index}":1`)}}`,
  "many members named by scattered numbers": (room) =>
    `{${filled(room, (index) => `"${(index * 40_503) % 4_294_967_291}":1`)}}`,
  "one key again and again": (room) => `{${filled(room, () => '"a":1')}}`,
  "two keys in turn": (room) => `{${filled(room, (index) => `"${index % 2 === 0 ? "a" : "b"}":{"c":[]}`)}}`,
  "keys that are secrets": (room) => `{${filled(room, () => '"Cookie":"x"')}}`,
  "keys that are nearly secrets": (room) =>
    `{${filled(room, (index) => `"c${hex(index % 1_048_576).padStart(5, "0")}":"x"`)}}`,
  "keys with NUL": (room) => `{${filled(room, (index) => `"\\u0000${hex(index)}":1`)}}`,
  checkpoints: (room) => `{${filled(room, (index) => `"checkpoint.${hex(index)}":1`)}}`,
  "a list of numbers": (room) => `{"a":[${filled(room, () => "0")}]}`,
  "a list of objects": (room) => `{"a":[${filled(room, () => "{}")}]}`,
  "a list of objects of all shapes": (room) =>
    `{"a":[${filled(room, (index) => `{"${hex(index)}":0,"${hex(index * 7)}":0}`)}]}`,
  "a list of lists": (room) => `{"a":[${filled(room, () => "[]")}]}`,
  "a list of short strings": (room) => `{"a":[${filled(room, (index) => `"${index}"`)}]}`,
  "a list of strings with NUL": (room) => `{"a":[${filled(room, () => '"\\u0000"')}]}`,
  "numbers of many digits": (room) => `{"a":[${filled(room, (index) => `0.1${index}${"1234567890".repeat(2)}`)}]}`,
  "numbers of 800 digits": (room) => `{"a":[${filled(room, (index) => `${index}1.${"5".repeat(780)}e-300`)}]}`,
  "numbers halfway between doubles": (room) =>
    `{"a":[${filled(room, (index) => `9007199254740993.${"0".repeat(700)}${index}`)}]}`,
  "a number of millions of digits": ({ bytes }) => `{"a":${"1".repeat(bytes)}}`,
  "deep lists": ({ bytes }) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "deep lists, unclosed": ({ bytes }) => "[".repeat(bytes),
  "deep objects": ({ bytes }) => `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "trees as deep as allowed": (room) => `{"a":[${filled(room, () => `${'{"a":'.repeat(28)}1${"}".repeat(28)}`)}]}`,
  "one long string": ({ bytes }) => `{"a":"${"x".repeat(bytes)}"}`,
  "one long string of two-byte characters": ({ bytes }) => `{"a":"${"é".repeat(bytes / 2)}"}`,
  "one long string of escapes": ({ bytes }) => `{"a":"${"\\n".repeat(bytes / 2)}"}`,
  "one long string of NULs": ({ bytes }) => `{"a":"${"\\u0000".repeat(bytes / 6)}"}`,
  "one long string of halves of pairs": ({ bytes }) => `{"a":"${"\\ud800".repeat(bytes / 6)}"}`,
  "one long key of NULs": ({ bytes }) => `{"${"\\u0000".repeat(bytes / 6)}":1}`,
  spaces: ({ bytes }) => `{"a":1${" ".repeat(bytes)}}`,
  "spaces between many": (room) => `{${filled(room, (index) => ` "k${hex(index)}" \n : \t 1 `)}}`,
  "nothing that ends": (room) => `{${filled(room, (index) => `"k${hex(index)}":1`)},`,
};

const start = () => `"event_id":"${uuidv7()}","session_id":"${uuidv7()}","primitive_name":"a","result":"r"`;
const eventWith = (more: string) => `{${start()},"args":"a",${more}}`;
const sessionWith = (more: string) => `{"session_id":"${uuidv7()}",${more}}`;
const rows = (row: string, count: number) => `{"events":[${Array.from({ length: count }, () => row).join(",")}]}`;
/** Appends a row that the fast path of a batch passes to the slow path. */
const odd = (body: string) => body.replace(/\}\]\}$/, ',"\\u0000":1}]}');

const event = {
  "an event's metadata": (value: string) => eventWith(`"metadata":${value}`),
  "an unknown field": (value: string) => eventWith(`"x":${value}`),
};
const session = {
  "a session's metadata": (value: string) => sessionWith(`"user_data":{"user_id":"u"},"metadata":${value}`),
  "a trait": (value: string) => sessionWith(`"user_data":{"user_id":"u","x":${value}}`),
};
const batch = {
  "a batch's place": (value: string) => value,
  "one row's metadata": (value: string) => rows(eventWith(`"metadata":${value}`), 1),
};
const rowOfMany = {
  "500 rows' metadata": (value: string) => rows(eventWith(`"metadata":${value}`), 500),
  "500 rows' metadata, the last odd": (value: string) => odd(rows(eventWith(`"metadata":${value}`), 500)),
};

/** Bodies with one expensive event. */
const single = {
  "args of NULs": () => `{${start()},"args":"${"\\u0000".repeat(MIB)}"}`,
  "args too long by far": ({ bytes }: Room) => `{${start()},"args":"${"\\u00e9".repeat(bytes / 6)}"}`,
};
const whole = {
  "many empty rows": (room: Room) => `{"events":[${filled(room, () => "{}")}]}`,
  "many rows": (room: Room) => `{"events":[${filled(room, () => eventWith('"success":true'))}]}`,
  "rows whose args are NULs": () => rows(`{${start()},"args":"${"\\u0000".repeat(170_000)}"}`, 9),
  "escapes in all args, the last row odd": () => odd(rows(`{${start()},"args":"${"\\u00e9".repeat(170_000)}"}`, 9)),
  "an id of millions of characters": ({ bytes }: Room) => `{"events":[{"event_id":"${'\\"'.repeat(bytes / 2)}"}]}`,
};

/**
 * Builds expensive bodies: each value in each place of each endpoint, as large as a body may be, with at most
 * `values` values.
 */
export const buildExpensiveBodies = (values: number): ExpensiveBody[] => [...each(values)];

function* each(values: number): Generator<ExpensiveBody> {
  const room = { bytes: FULL, values };
  const share = { bytes: FULL / 500 - 300, values: Math.floor(values / 500) - 8 };
  for (const [name, spell] of Object.entries(VALUES)) {
    yield* placed("capture-event", name, () => spell(room), event);
    yield* placed("capture-session", name, () => spell(room), session);
    yield* placed("capture-events", name, () => spell(room), batch);
    yield* placed("capture-events", name, () => spell(share), rowOfMany);
  }
  for (const [name, body] of Object.entries(single)) yield shape("capture-event", name, () => body(room));
  for (const [name, body] of Object.entries(whole)) yield shape("capture-events", name, () => body(room));
}

const shape = (endpoint: string, name: string, body: () => string): ExpensiveBody => ({
  endpoint,
  name,
  body: () => Buffer.from(body()),
});

function* placed(
  endpoint: string,
  name: string,
  value: () => string,
  places: Record<string, (value: string) => string>,
): Generator<ExpensiveBody> {
  for (const [place, body] of Object.entries(places)) yield shape(endpoint, `${name} in ${place}`, () => body(value()));
}

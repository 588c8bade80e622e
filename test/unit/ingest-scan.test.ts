import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { DEFAULT_OPTIONS } from "../../redaction/index.ts";
import { AppError } from "../../server/errors.ts";
import { type BatchEvent, readBatch, readCarefully } from "../../server/ingest/capture/batch.ts";
import { parseRedaction } from "../../server/ingest/rules/redaction.ts";
import { isFault } from "../../server/ingest/rules/rules.ts";
import { scanEvents } from "../../server/ingest/scan/index.ts";
import { createBufferWriter, EVENT_COLUMNS } from "../../server/ingest/tuple/index.ts";
import { createCostCalculator, DEFAULT_PRICE_OPTIONS } from "../../server/prices/prices.ts";
import { createSecretScanner } from "../../server/scans/index.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { runToEnd } from "../support/to-end.ts";

const NOW = Date.UTC(2026, 5, 1);
const arrival = (enabled = true) => ({
  now: NOW,
  organizationId: "0190163d-8694-739b-aea5-966c26f8ad91",
  redaction: parseRedaction(),
  scan: createSecretScanner(new Uint8Array(32), "an organization", { ...DEFAULT_OPTIONS, enabled }).quick(),
  prices: createCostCalculator(DEFAULT_PRICE_OPTIONS),
  tuples: createBufferWriter(64),
});

/** Serializes a JSON value with random spaces, escapes and order of keys. */
const spelled = (value: unknown, odd: () => number): string => {
  const space = () => [" ", "", "", "\n", "\t \r\n"][Math.floor(odd() * 5)] ?? "";
  if (typeof value === "string") return spelledString(value, odd);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => spelled(item, odd)).join(`${space()},`)}${space()}]`;
  const members = Object.entries(value).sort(() => odd() - 0.5);
  const spell = ([key, item]: [string, unknown]) => `${JSON.stringify(key)}${space()}:${space()}${spelled(item, odd)}`;
  return `{${space()}${members.map(spell).join(`${space()},${space()}`)}}`;
};

const escaped = (char: string) => char.replace(/./gs, (unit) => `\\u${hex(unit)}`);
const spelledString = (value: string, odd: () => number): string =>
  odd() < 0.7
    ? JSON.stringify(value)
    : `"${[
        ...JSON.stringify(value)
          .slice(1, -1)
          .matchAll(/\\u....|\\.|./gsu),
      ]
        .map(([char]) => (!char.startsWith("\\") && odd() < 0.3 ? escaped(char) : char.replace("/", "\\/")))
        .join("")}"`;
const hex = (char: string) => char.charCodeAt(0).toString(16).padStart(4, "0");

/** Draws mostly from `fine`, so that most bodies are valid. */
const mostly = <T, U>(fine: fc.Arbitrary<T>, odd: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 30, arbitrary: fine }, { weight: 1, arbitrary: odd });
const wild = fc.string({ unit: "binary", maxLength: 30 });
/** Texts that contain a secret, something similar to a secret, or a mark. */
const secret = fc.constantFrom(
  ...[`a ghp_${"a1".repeat(18)} b`, `{"token":"${"Zz19".repeat(5)}"}`, "https://example.com", "tokens and passwords"],
  "[redacted:jwt:00ff]",
);
const text = mostly(
  fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ maxLength: 300 }), fc.constant("é\n😀"), secret),
  wild,
);
const number = mostly(
  fc.oneof(
    fc.integer(),
    fc.integer().map((whole) => whole / 8),
  ),
  fc.double({ noNaN: true }),
);
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const key = mostly(
  fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom("region", "token", "api_key")),
  fc.constantFrom("checkpoint.a", "Set-Cookie"),
);
const DAY = 86_400_000;
/** Timestamps, mostly near the limits at which the digits change their meaning (seconds, milliseconds or invalid). */
const moment = fc.oneof(
  ...[0, 1e11, Date.UTC(2000, 0, 1), 1e12, NOW + DAY, 1e13].map((bound) =>
    fc.integer({ min: Math.max(0, bound - 2), max: bound + 2 }),
  ),
  fc.integer({ min: 0, max: 2 * NOW }),
);
const metadata = fc.dictionary(key, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(key, scalar)), {
  maxKeys: 4,
});
const id = fc.boolean().map((upper) => (upper ? uuidv7().toUpperCase() : uuidv7()));
const time = mostly(fc.integer({ min: Date.UTC(2000, 0, 1), max: NOW }), fc.integer());
const event = fc.record(
  {
    event_id: id,
    session_id: fc.oneof(id, fc.constant("01901e14-53fa-7a26-8a1e-aaaaaaaaaaaa")),
    primitive_name: mostly(fc.string({ minLength: 1 }), text),
    args: text,
    result: text,
    primitive_type: fc.oneof(fc.string({ maxLength: 20 }), fc.constant("tool"), fc.constant(null)),
    success: fc.oneof(fc.boolean(), fc.constant(null)),
    latency: mostly(fc.nat(), fc.constantFrom(2 ** 53, -1, 1.5, null)),
    timestamp: fc.oneof(time, fc.constant(null)),
    parent_id: fc.oneof(id, fc.constant(null)),
    metadata: fc.oneof(metadata, fc.constant(null)),
    unknown: fc.oneof(metadata, scalar),
  },
  { requiredKeys: ["event_id", "session_id", "primitive_name", "args", "result"] },
);
const body = fc.tuple(fc.array(event, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.float({ min: 0, max: 1 })));
const bytesOf = ([events, stream]: [unknown[], Iterator<number>]) =>
  Buffer.from(spelled({ events }, () => stream.next().value ?? 0));

/** Returns the columns of a row's tuple: raw bytes, and the parsed value of metadata. */
const columnsOf = ({ id: sent, event: row }: BatchEvent) => {
  if (isFault(row)) return { fault: row.reason };
  const { tuples, from, end, event_id, session_id, timestamp } = row;
  const columns = new Map<string, unknown>([["", { sent, event_id, session_id, timestamp }]]);
  let at = from + 2;
  for (const { name } of EVENT_COLUMNS) {
    const length = tuples.buffer.readInt32BE(at);
    const value = length < 0 ? null : tuples.buffer.toString("latin1", at + 4, at + 4 + length);
    const isJson = name === "metadata" && value !== null;
    columns.set(name, isJson ? JSON.parse(Buffer.from(value, "latin1").toString()) : value);
    at += 4 + Math.max(0, length);
  }
  expect(at).to.equal(end);
  return Object.fromEntries(columns);
};

const carefully = (bytes: Buffer, enabled = true): unknown => {
  try {
    return runToEnd(readCarefully(bytes, arrival(enabled))).map(columnsOf);
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
};

describe("the byte scanner of ingestion", () => {
  it("stores the same as JSON.parse for any spelling of any events, with and without redaction", () => {
    let taken = 0;
    const property = fc.property(body, fc.boolean(), (drawn, enabled) => {
      const bytes = bytesOf(drawn);
      const rows = runToEnd(scanEvents(bytes, arrival(enabled)));
      if (!rows) return;
      taken += 1;
      expect(rows.map(columnsOf)).to.deep.equal(carefully(bytes, enabled));
    });
    fc.assert(property, { numRuns: scaleRuns(2_000) });

    expect(taken).to.be.greaterThan(scaleRuns(500));
  });

  it("accepts nothing that JSON.parse and the checks refuse or read differently, after any changed byte", () => {
    const changes = fc.array(
      fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(31, 9, ...Buffer.from('"\\{}[],:0')))),
      {
        minLength: 1,
        maxLength: 2,
      },
    );
    let taken = 0;
    const property = fc.property(body, changes, (drawn, places) => {
      const bytes = bytesOf(drawn);
      for (const [place, code] of places) bytes[place % bytes.length] = code;
      const rows = runToEnd(scanEvents(bytes, arrival()));
      if (!rows) return;
      taken += 1;
      expect(rows.map(columnsOf)).to.deep.equal(carefully(bytes));
    });
    fc.assert(property, { numRuns: scaleRuns(4_000) });

    expect(taken).to.be.greaterThan(scaleRuns(50));
  });

  it("reads checkpoints written as digits as the same numbers as JSON.parse, or refuses them", () => {
    const named = (value: fc.Arbitrary<number>) =>
      fc.dictionary(fc.string({ maxLength: 4 }), value, { minKeys: 1, maxKeys: 3 });
    const milestones = fc.oneof(named(fc.integer({ min: Date.UTC(2000, 0, 1), max: NOW + DAY })), named(moment));
    const taken = { all: 0, none: 0 };
    const property = fc.property(
      event,
      milestones,
      fc.infiniteStream(fc.float({ min: 0, max: 1 })),
      (drawn, at, odd) => {
        const told = (spell: (moment: number) => unknown) => {
          const named = Object.entries(at).map(([name, moment]) => [`checkpoint.${name}`, spell(moment)]);
          const fine = {
            ...drawn,
            event_id: uuidv7(),
            latency: 1,
            timestamp: NOW,
            args: "",
            result: "",
            primitive_name: "a",
          };
          return bytesOf([[{ ...fine, event_id: drawn.event_id, metadata: Object.fromEntries(named) }], odd]);
        };
        const digits = told(String);
        expect(runToEnd(readBatch(digits, arrival())).map(columnsOf)).to.deep.equal(carefully(digits));
        const isTime = (moment: number) => moment >= Date.UTC(2000, 0, 1) && moment <= NOW + DAY;
        const areTimes = Object.values(at).every(isTime);
        const numbers = runToEnd(readBatch(told(Number), arrival())).map(columnsOf);
        const refused = { fault: "metadata checkpoint.* values must be epoch-millisecond numbers" };
        expect(carefully(digits)).to.deep.equal(areTimes ? numbers : [refused]);
        taken[areTimes ? "all" : "none"] += 1;
      },
    );
    fc.assert(property, { numRuns: scaleRuns(500) });

    expect(Math.min(taken.all, taken.none)).to.be.greaterThan(scaleRuns(50));
  });

  it("accepts the bodies of common clients", () => {
    const plain = {
      ...{ event_id: uuidv7(), session_id: uuidv7(), primitive_name: "Suche", primitive_type: "tool", success: false },
      ...{ args: JSON.stringify({ q: "Straße 😀", n: [1, 2] }), result: 'says "yes"\n', latency: 12, timestamp: NOW },
      metadata: { "checkpoint.parsed": NOW + 1, score: 0.8500000000000001, tags: ["a", null, true], region: "eu" },
    };
    const ascii = JSON.stringify({ events: [plain] }).replace(/[^\0-\x7f]/g, (char) => `\\u${hex(char)}`);
    for (const sent of [
      JSON.stringify({ events: [plain, plain] }),
      JSON.stringify({ events: [plain] }, null, 2),
      ascii,
    ]) {
      const bytes = Buffer.from(sent);
      const rows = runToEnd(scanEvents(bytes, arrival()));
      expect(rows?.map(columnsOf)).to.deep.equal(carefully(bytes));
    }
  });

  it("leaves unusual bodies to JSON.parse", () => {
    const row = (more: string) =>
      `{"events":[{"event_id":"${uuidv7()}","session_id":"${uuidv7()}","primitive_name":"a","args":"","result":""${more}}]}`;
    const odd = [
      ...[',"metadata":{"cookie":"x"}', ',"metadata":{"a":1e400}', ',"metadata":{"checkpoint.a":"x"}'],
      ...[
        ',"latency":1.0',
        ',"timestamp":1',
        ',"args":"twice"',
        ',"parent_id":"x"',
        ',"\\u0061rgs":"b"',
        ',"x":"\\u0000"',
      ],
      ...[`,"metadata":${'{"a":'.repeat(33)}1${"}".repeat(33)}`, ',"metadata":{"n":12345678901234567890}'],
      ...["01", "-", "1.", "-01", ".5", "1e5", "tru", "nul"].map((value) => `,"metadata":{"a":${value}}`),
      ',"metadata":{"coo\u212aie":"in lower case a cookie"}',
    ];
    const halves = ["\\ud83d", "\\ude00", "\\ud83d\\ud83d", "\\ud83dx", "\\ude00\\ud83d"];
    odd.push(...halves.map((half) => `,"metadata":{"a":"${half}"}`));
    expect(runToEnd(scanEvents(Buffer.from(row("")), arrival()))).to.have.lengthOf(1);
    for (const more of odd)
      expect([more, runToEnd(scanEvents(Buffer.from(row(more)), arrival()))]).to.deep.equal([more, undefined]);
    for (const whole of ["", "[]", "{}", '{"events":[]} x', '\ufeff{"events":[]}', '{"events":[],"events":[]}']) {
      expect([whole, runToEnd(scanEvents(Buffer.from(whole), arrival()))]).to.deep.equal([whole, undefined]);
    }
    expect(runToEnd(scanEvents(Buffer.from([...Buffer.from(row(',"x":"')), 0xff]), arrival()))).to.equal(undefined);
  });
});

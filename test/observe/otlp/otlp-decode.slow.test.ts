import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { AppError } from "../../../server/errors.ts";
import { decodeJsonLogs, decodeJsonSpans } from "../../../server/ingest/otlp/decode/json.ts";
import { decodeProtobufLogs, decodeProtobufSpans } from "../../../server/ingest/otlp/decode/protobuf.ts";
import { encodeBothWays, readOtlpFixtures, toProtobuf } from "../../support/recording/otlp.ts";
import { scaleRuns } from "../../support/run/runs.ts";

const READERS = {
  traces: { json: decodeJsonSpans, protobuf: decodeProtobufSpans },
  logs: { json: decodeJsonLogs, protobuf: decodeProtobufLogs },
};

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant({}),
    fc.string({ unit: "grapheme" }).map((stringValue) => ({ stringValue })),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((int) => ({ intValue: String(int) })),
    fc.integer().map((intValue) => ({ intValue })),
    // JSON has no negative zero.
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => ({ doubleValue: number + 0 })),
    fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytesValue: Buffer.from(bytes).toString("base64") })),
    fc.array(tie("any"), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    fc
      .array(fc.record({ key: fc.string(), value: tie("any") }), { maxLength: 3 })
      .map((values) => ({ kvlistValue: { values } })),
  ),
})).any;
const attributes = fc.array(fc.record({ key: fc.string({ maxLength: 8 }), value }), { maxLength: 5 });
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString("hex"));
const nanos = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String);
const span = fc.record(
  {
    traceId: hex(16),
    spanId: hex(8),
    parentSpanId: fc.oneof(hex(8), fc.constant("")),
    name: fc.string(),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    events: fc.array(fc.record({ name: fc.string(), attributes }), { maxLength: 3 }),
    status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: fc.string() }),
  },
  { requiredKeys: ["traceId"] },
);
const log = fc.record(
  {
    traceId: fc.oneof(hex(16), fc.constant("")),
    spanId: hex(8),
    timeUnixNano: nanos,
    observedTimeUnixNano: nanos,
    body: value,
    attributes,
    eventName: fc.string(),
  },
  { requiredKeys: [] },
);
const tracesBody = fc
  .tuple(attributes, fc.array(span, { maxLength: 4 }))
  .map(([resource, spans]) => ({ resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans }] }] }));
const logsBody = fc.tuple(attributes, fc.array(log, { maxLength: 4 })).map(([resource, logRecords]) => ({
  resourceLogs: [{ resource: { attributes: resource }, scopeLogs: [{ logRecords }] }],
}));
const BODIES = { traces: tracesBody, logs: logsBody };
const bytesOf = (json: object) => Buffer.from(JSON.stringify(json));

/** Returns true if a reader accepts the bytes. Any error other than a refusal is a defect. */
function takes(read: (bytes: Buffer) => unknown, bytes: Buffer): boolean {
  try {
    read(bytes);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === "input") return false;
    throw error;
  }
}

describe("the OTLP decoder", () => {
  for (const each of readOtlpFixtures()) {
    it(`reads the same from JSON and protobuf: ${each.name}`, () => {
      const reader = READERS[each.signal as "traces" | "logs"];
      const { json, protobuf } = encodeBothWays(each);
      const found = reader.json(json);
      expect(found.count).to.be.above(0);
      expect(reader.protobuf(protobuf)).to.deep.equal(found);
    });
  }

  for (const signal of ["traces", "logs"] as const) {
    const { json: readJson, protobuf: readProtobuf } = READERS[signal];

    it(`reads the same from JSON and protobuf for random messages: ${signal}`, () => {
      fc.assert(
        fc.property(BODIES[signal], (body) => {
          // Chai's comparison of maps calls toString of the contained values, which may be a number here.
          expect(isDeepStrictEqual(readProtobuf(toProtobuf(signal, body)), readJson(bytesOf(body)))).to.equal(true);
        }),
        { numRuns: scaleRuns(300) },
      );
    });

    it(`either refuses or fully reads changed or truncated bytes: ${signal}`, () => {
      const change = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
      fc.assert(
        fc.property(BODIES[signal], change, fc.nat(), (body, changes, length) => {
          const bytes = toProtobuf(signal, body);
          fc.pre(bytes.length > 2);
          // The bytes are one message without a shorter valid prefix.
          const cut = bytes.subarray(0, 1 + (length % (bytes.length - 1)));
          expect(takes(readProtobuf, cut)).to.equal(false);
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          takes(readProtobuf, bytes);
        }),
        { numRuns: scaleRuns(1_000) },
      );
    });

    it(`refuses random bytes: ${signal}`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
          takes(readProtobuf, Buffer.from(noise));
          takes(readJson, Buffer.from(noise));
        }),
        { numRuns: scaleRuns(1_000) },
      );
    });
  }

  it("keeps times to the nanosecond and 64-bit integers, which a double would change", () => {
    const body = {
      resourceSpans: [
        {
          scopeSpans: [
            {
              spans: [
                {
                  traceId: "0af7651916cd43dd8448eb211c80319c",
                  spanId: "b7ad6b7169203331",
                  startTimeUnixNano: "1795293432194000001",
                  endTimeUnixNano: "1795293432238594369",
                  attributes: [{ key: "n", value: { intValue: "-9223372036854775808" } }],
                },
              ],
            },
          ],
        },
      ],
    };
    for (const { records } of [decodeJsonSpans(bytesOf(body)), decodeProtobufSpans(toProtobuf("traces", body))]) {
      expect(records[0]?.start).to.deep.equal({ ms: 1795293432194, nanos: 1 });
      expect(records[0]?.end).to.deep.equal({ ms: 1795293432238, nanos: 594369 });
      expect(records[0]?.attributes.get("n")).to.equal("-9223372036854775808");
    }
  });

  it("reads ids in base64, numbers as text and text as numbers", () => {
    const span = {
      traceId: Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex").toString("base64"),
      spanId: "B7AD6B7169203331",
      startTimeUnixNano: 1795293432194000000,
      attributes: [
        { key: "a", value: { intValue: 5 } },
        { key: "b", value: { intValue: "5" } },
        { key: "c", value: { doubleValue: "1.5" } },
        { key: "d", value: {} },
        { key: "e" },
        { key: "f", value: null },
      ],
      status: { code: "STATUS_CODE_ERROR" },
    };
    const [read] = decodeJsonSpans(bytesOf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })).records;
    expect(read).to.include({ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", failed: true });
    expect(read?.start.ms).to.equal(1795293432194);
    expect([...(read?.attributes ?? [])]).to.deep.equal([
      ["a", 5],
      ["b", 5],
      ["c", 1.5],
    ]);
  });
});

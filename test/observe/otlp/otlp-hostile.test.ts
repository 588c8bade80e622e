import { expect } from "chai";
import fc from "fast-check";
import type { RecordMeaning } from "../../../server/agents/convention.ts";
import { conventions } from "../../../server/agents/conventions/index.ts";
import { createWriter } from "../../support/recording/ingest.ts";
import { postOtlp, readStoredTrees, toProtobuf } from "../../support/recording/otlp.ts";
import { scaleRuns } from "../../support/run/runs.ts";

/** Every attribute that a table lists, and every name of a span or event. */
const meanings = conventions.flatMap(({ spans = [], logs = [] }): RecordMeaning[] => [...spans, ...logs]);
/** Members of tables that contain no names of attributes. */
const NO_PLACES: readonly string[] = ["names", "kind", "source", "ends", "time", "as", "path"];
const takesIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === "where" ? Object.keys(inner) : []),
    ...(NO_PLACES.includes(key) ? [] : takesIn(inner)),
  ]);
};
const attributeNames = [...new Set([...conventions, ...meanings].flatMap(takesIn))].filter(
  (place) => !place.startsWith("@"),
);
const names = [...new Set(meanings.flatMap((meaning) => meaning.names ?? []))].map((name) => name.replace("*", "x"));

/** Values that a condition of a table may require, and values that break code with wrong assumptions. */
const words = [
  "true",
  "false",
  "chat",
  "execute_tool",
  "invoke_agent",
  "tool",
  "AGENT",
  "TOOL",
  "LLM",
  "agent",
  "generation",
];
const odd = [
  "\u0000",
  "\ud800",
  "{",
  "[".repeat(5_000) + "]".repeat(5_000),
  '[{"role":"user","content":[{"type":"text"}]},{"parts":null}]',
  '{"__proto__":{"a":1},"args":{},"response":[]}',
  "NaN",
  "-1",
  "1e400",
  "99999999999999999999",
  "x".repeat(2_000),
];
const value = fc.oneof(
  fc.constantFrom(...words, ...odd).map((stringValue) => ({ stringValue })),
  fc.constantFrom("-9223372036854775808", "0", "7").map((intValue) => ({ intValue })),
  fc.constantFrom(-1.5, 1e308).map((doubleValue) => ({ doubleValue })),
  fc.boolean().map((boolValue) => ({ boolValue })),
  fc.constant({ arrayValue: { values: [{ stringValue: "a" }, {}] } }),
  fc.constant({ kvlistValue: { values: [{ key: "__proto__", value: { stringValue: "a" } }] } }),
);
const key = fc.constantFrom(...attributeNames, "@resource", "__proto__", "");
const attributes = fc.array(fc.record({ key, value }), { maxLength: 12 });
const traceId = fc.constantFrom("0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c");
const spanId = fc.constantFrom("b7ad6b7169203331", "b7ad6b7169203332", "b7ad6b7169203333");
const time = fc.constantFrom("0", "1795293432194000001", "18446744073709551615", "1");
const span = fc.record({
  traceId,
  spanId,
  parentSpanId: spanId,
  name: fc.constantFrom(...names),
  startTimeUnixNano: time,
  endTimeUnixNano: time,
  attributes,
  events: fc.array(fc.record({ name: fc.constantFrom("exception", "tool.output", "gen_ai.choice"), attributes }), {
    maxLength: 2,
  }),
  status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: fc.constantFrom("", "\u0000 broke") }),
});
const log = fc.record({
  traceId,
  spanId,
  observedTimeUnixNano: time,
  eventName: fc.constantFrom(...names),
  body: value,
  attributes,
});

/** No two records of an export have the same time. */
const logs = fc
  .array(log, { maxLength: 6 })
  .map((records) => records.map((each, at) => ({ ...each, timeUnixNano: `${1795293432194 + at}000000` })));

describe("random telemetry", () => {
  it("is recorded, skipped or counted as rejected, without a server error", async () => {
    const writer = await createWriter();
    const bodies = fc.tuple(fc.array(span, { maxLength: 6 }), logs, fc.boolean());
    const property = fc.asyncProperty(bodies, async ([spans, logRecords, asJson]) => {
      for (const [signal, body] of [
        ["traces", { resourceSpans: [{ resource: {}, scopeSpans: [{ spans }] }] }],
        ["logs", { resourceLogs: [{ resource: {}, scopeLogs: [{ logRecords }] }] }],
      ] as const) {
        const bytes = asJson ? Buffer.from(JSON.stringify(body)) : toProtobuf(signal, body);
        const type = asJson ? "application/json" : "application/x-protobuf";
        const reply = await postOtlp(writer, `/v1/${signal}`, bytes, { "Content-Type": type });
        expect([reply.status, reply.status === 200 ? "" : reply.bytes.toString()]).to.deep.equal([200, ""]);
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(80) });
    expect((await readStoredTrees(writer.organizationId)).length).to.be.above(0);
  });
});

import { expect } from "chai";
import fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { createEvent, createWriter, type RowResult } from "../support/recording/ingest.ts";
import { scaleRuns } from "../support/run/runs.ts";

const FIELDS = [
  ...["event_id", "session_id", "primitive_name", "primitive_type", "args", "result", "success", "latency"],
  ...["timestamp", "parent_id", "metadata", "__proto__", "constructor", "toString"],
];

const text = fc.string({ unit: "binary", maxLength: 20 });
const nasty = fc.constantFrom("\0", "\ud800", "a\udc00b", "", "'; drop table recorded_event; --", "\\u0000", "\ufeff");
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 63, -0, 1e308, 1e-7));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    nasty,
    number,
    fc.boolean(),
    fc.constant(null),
    tie("list"),
    tie("map"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  map: fc.dictionary(fc.oneof(text, nasty, fc.constantFrom("cookie", "checkpoint.a", "__proto__")), tie("value"), {
    maxKeys: 4,
  }),
})).value;

/** Any JSON value, or a valid event with some fields replaced by any JSON value. */
const row = fc.oneof(
  { weight: 1, arbitrary: json },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...FIELDS), json), { maxLength: 2 })
      .map((changes) => Object.fromEntries([...Object.entries(createEvent()), ...changes])),
  },
);

const idsOf = (results: RowResult[], status: string) =>
  results.filter((result) => result.status === status).map(({ event_id }) => event_id.toLowerCase());

describe("random rows for ingestion", () => {
  it("never cause a 5xx, the totals are right, and exactly the accepted rows are stored", async () => {
    const writer = await createWriter();
    let stored = 0;
    const property = fc.asyncProperty(fc.array(row, { maxLength: 30 }), async (rows) => {
      const good = createEvent();
      const { status, body, results } = await writer.events([...rows, good]);
      expect([status, results.length]).to.deep.equal([202, rows.length + 1]);
      expect(Number(body["accepted"]) + Number(body["rejected"])).to.equal(results.length);
      expect(results.map(({ index }) => index)).to.deep.equal([...results.keys()]);
      const accepted = new Set(idsOf(results, "accepted"));
      expect(accepted.has(good.event_id)).to.equal(true);
      stored += accepted.size;
      expect(await writer.count()).to.equal(stored);
      for (const id of accepted) expect(await writer.storedEvent(id)).to.include({ event_id: id });
    });
    await fc.assert(property, { numRuns: scaleRuns(150) });
  });

  it("as a single event or session get 200 or 400", async () => {
    const writer = await createWriter();
    const session = fc.array(fc.tuple(fc.constantFrom("session_id", "user_data", "metadata", "client_config"), json));
    const property = fc.asyncProperty(row, session, json, async (event, changes, traits) => {
      const user_data = fc.sample(fc.constant({ user_id: "u", trait: traits }), 1)[0];
      const body = Object.fromEntries([["session_id", uuidv7()], ["user_data", user_data], ...changes]);
      const replies = await Promise.all([
        writer.raw("capture-event", JSON.stringify(event)),
        writer.raw("capture-session", JSON.stringify(body)),
      ]);
      for (const { status } of replies) expect(status).to.be.oneOf([200, 400]);
    });
    await fc.assert(property, { numRuns: scaleRuns(200) });
  });

  it("as bytes get 202 or 400, never 5xx", async () => {
    const writer = await createWriter();
    const valid = Buffer.from(JSON.stringify({ events: [createEvent()] }));
    const cut = fc.tuple(fc.nat(valid.length - 1), fc.uint8Array({ maxLength: 4 }));
    const property = fc.asyncProperty(cut, async ([at, bytes]) => {
      const body = Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + bytes.length)]);
      expect((await writer.raw("capture-events", body)).status).to.be.oneOf([202, 400]);
    });
    await fc.assert(property, { numRuns: scaleRuns(200) });
  });
});

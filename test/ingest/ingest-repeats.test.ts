import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { createEvent, createWriter } from "../support/recording/ingest.ts";

const CONFLICT = "event_id already used with different content";
const full = () =>
  createEvent({
    parent_id: uuidv7(),
    primitive_type: "tool",
    success: false,
    latency: 12,
    timestamp: Date.UTC(2025, 0, 1),
    metadata: { a: 1, b: { c: [1, 2], d: null }, cookie: "s", text: "\0" },
  });

describe("a repeated event", () => {
  const same: [string, object, object][] = [
    ["as it was", {}, {}],
    ["with null for what was absent", {}, { parent_id: null, primitive_type: null, latency: null, metadata: null }],
    ["with success spelled out", {}, { success: true }],
    ["with an empty primitive_type", {}, { primitive_type: "" }],
    [
      "with keys in another order",
      { metadata: { a: 1, b: { c: 2, d: 3 } } },
      { metadata: { b: { d: 3, c: 2 }, a: 1 } },
    ],
    ["with U+FFFD for what was replaced", { args: "\0" }, { args: "\uFFFD" }],
    [
      "with a milestone spelled as digits",
      { metadata: { "checkpoint.a": 1714867201000 } },
      { metadata: { "checkpoint.a": "1714867201000" } },
    ],
    ["with another secret", { metadata: { cookie: "one" } }, { metadata: { cookie: "two" } }],
    ["with an unknown field more", {}, { colour: "red" }],
  ];
  for (const [how, before, after] of same) {
    it(`is accepted, and is stored once: ${how}`, async () => {
      const writer = await createWriter();
      const event = createEvent(before);
      const replies = [await writer.event(event), await writer.event({ ...event, ...after })];
      const { body } = await writer.events([{ ...event, ...after }, createEvent()]);
      expect(replies.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect([body["accepted"], await writer.count()]).to.deep.equal([2, 2]);
    });
  }

  it("is recognized with every field set, and with ids in another case", async () => {
    const writer = await createWriter();
    const event = full();
    const shout = (id: unknown) => String(id).toUpperCase();
    const ids = { event_id: shout(event.event_id), session_id: shout(event.session_id) };
    await writer.event(event);
    const { status, body } = await writer.event({ ...event, ...ids });
    expect([status, body["event_id"], await writer.count()]).to.deep.equal([200, ids.event_id, 1]);
  });

  const changes: object[] = [
    { session_id: uuidv7() },
    { parent_id: uuidv7() },
    { parent_id: null },
    { primitive_name: "other" },
    { primitive_type: null },
    { args: "other" },
    { result: "other" },
    { success: true },
    { latency: 13 },
    { latency: null },
    { timestamp: Date.UTC(2025, 0, 2) },
    { timestamp: null },
    { metadata: null },
    { metadata: { a: 2 } },
  ];
  for (const change of changes) {
    it(`with other content is rejected, and the first stays: ${JSON.stringify(change).slice(0, 40)}`, async () => {
      const writer = await createWriter();
      const event = full();
      await writer.event(event);
      const before = await writer.storedEvent(event.event_id);
      const single = await writer.event({ ...event, ...change });
      const { results } = await writer.events([{ ...event, ...change }]);
      expect([single.status, single.body["code"], single.body["error"]]).to.deep.equal([
        409,
        "event_conflict",
        CONFLICT,
      ]);
      expect(results[0]).to.include({ status: "rejected", reason: CONFLICT });
      expect(await writer.storedEvent(event.event_id)).to.deep.equal(before);
    });
  }

  it("with a timestamp instead of the server's own counts as other content", async () => {
    const writer = await createWriter();
    const event = createEvent();
    await writer.event(event);
    expect((await writer.event({ ...event, timestamp: Date.now() })).status).to.equal(409);
  });

  it("inside one batch is compared with the first", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const { results } = await writer.events([event, { ...event, args: "other" }, event, createEvent()]);
    expect(results.map(({ reason }) => reason)).to.deep.equal(["", CONFLICT, "", ""]);
    expect(await writer.storedEvent(event.event_id)).to.include({ args: event.args });
  });

  it("whose first row in the batch is rejected is compared with the stored event", async () => {
    const writer = await createWriter();
    const event = createEvent();
    await writer.event(event);
    const { results } = await writer.events([{ ...event, args: "other" }, event]);
    expect(results.map(({ reason }) => reason)).to.deep.equal([CONFLICT, ""]);
  });

  it("whose first row in the batch is invalid counts as the first", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const { results } = await writer.events([{ ...event, args: 5 }, event]);
    expect(results.map(({ status }) => status)).to.deep.equal(["rejected", "accepted"]);
  });

  it("that is rejected leaves no session that only it named", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const elsewhere = uuidv7();
    await writer.events([event]);
    await writer.events([{ ...event, session_id: elsewhere }, createEvent()]);
    expect(await writer.storedSession(elsewhere)).to.equal(undefined);
  });

  it("in two concurrent batches is stored once, without a deadlock", async () => {
    const writer = await createWriter();
    const events = Array.from({ length: 100 }, () => createEvent());
    const orders = [events, events.toReversed(), events, events.toReversed(), events, events.toReversed()];
    const replies = await Promise.all(orders.map((order) => writer.events(order)));
    expect(replies.map(({ status, body }) => [status, body["accepted"]])).to.deep.equal(orders.map(() => [202, 100]));
    expect(await writer.count()).to.equal(100);
  });

  it("with other content in two concurrent batches has one winner per id", async () => {
    const writer = await createWriter();
    const events = Array.from({ length: 50 }, () => createEvent());
    const versions = ["a", "b", "c", "d"].map((args) => events.map((event) => ({ ...event, args })));
    const replies = await Promise.all(versions.map((rows) => writer.events(rows)));
    const winners = events.map((_, row) => replies.filter(({ results }) => results[row]?.status === "accepted").length);
    expect(winners).to.deep.equal(events.map(() => 1));
  });
});

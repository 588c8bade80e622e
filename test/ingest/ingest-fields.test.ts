import { expect } from "chai";
import { createEvent, createSession, createWriter } from "../support/recording/ingest.ts";

const UPPER = "0190163D-8694-439B-AEA5-966C26F8AD91";
const HOUR = 3_600_000;
const KIB = 1024;
/** Builds an object with a number of levels, including the outermost object. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

type Case = [field: string, value: unknown, reason: RegExp];

const BAD_EVENTS: Case[] = [
  ...["event_id", "session_id", "primitive_name", "args", "result"].flatMap((field): Case[] => [
    [field, undefined, new RegExp(`^${field} is required$`)],
    [field, null, new RegExp(`^${field} is required$`)],
  ]),
  ["event_id", "", /must be a UUID/],
  ["event_id", "0190163d8694739baea5966c26f8ad91", /must be a UUID/],
  ["event_id", "{0190163d-8694-739b-aea5-966c26f8ad91}", /must be a UUID/],
  ["event_id", "0190163d-8694-739b-aea5-966c26f8ad91\n", /must be a UUID/],
  ["session_id", 7, /must be a UUID/],
  ["parent_id", "x", /must be a UUID/],
  ["parent_id", "", /must be a UUID/],
  ["primitive_name", "", /must not be empty/],
  ["primitive_name", "x".repeat(257), /at most 256 characters/],
  ["primitive_name", "x".repeat(2_705), /at most 256 characters/],
  ["primitive_name", "😀".repeat(257), /at most 256 characters/],
  ["primitive_name", { toString: "x" }, /must be a string/],
  ["primitive_type", "x".repeat(65), /at most 64 characters/],
  ["primitive_type", 1, /must be a string/],
  ["args", { q: "x" }, /^args must be a string; serialize objects as JSON text$/],
  ["args", ["x"], /^args must be a string; serialize objects as JSON text$/],
  ["result", 5, /^result must be a string; serialize objects as JSON text$/],
  ["args", "x".repeat(KIB * KIB + 1), /at most 1048576 bytes/],
  ["result", "é".repeat(KIB * KIB * 0.5 + 1), /at most 1048576 bytes/],
  ["success", "true", /must be true or false/],
  ["success", 1, /must be true or false/],
  ["latency", -1, /must be an integer/],
  ["latency", 1.5, /must be an integer/],
  ["latency", "12", /must be an integer/],
  ["latency", 2 ** 53, /must be an integer/],
  ["timestamp", "2026-01-01T00:00:00Z", /must be an integer, epoch milliseconds/],
  ["timestamp", Date.now() + 0.5, /must be an integer/],
  ["timestamp", Math.floor(Date.now() / 1000), /looks like seconds/],
  ["timestamp", 0, /looks like seconds/],
  ["timestamp", -1, /between 2000-01-01 and 24 hours/],
  ["timestamp", Date.UTC(2000, 0, 1) - 1, /between 2000-01-01 and 24 hours/],
  ["timestamp", Date.now() + 25 * HOUR, /between 2000-01-01 and 24 hours/],
  ["metadata", [], /^metadata must be an object$/],
  ["metadata", "x", /^metadata must be an object$/],
  ["metadata", { a: "x".repeat(64 * KIB) }, /at most 64 KiB/],
  ["metadata", nested(33), /at most 32 levels/],
  ["metadata", { "checkpoint.a": "1" }, /checkpoint/],
  ["metadata", { "checkpoint.a": -1 }, /checkpoint/],
  ["metadata", { "checkpoint.": null }, /checkpoint/],
];

const GOOD_EVENTS: [field: string, value: unknown, stored: unknown][] = [
  ["event_id", UPPER, UPPER.toLowerCase()],
  ["session_id", UPPER, UPPER.toLowerCase()],
  ["parent_id", UPPER, UPPER.toLowerCase()],
  ["parent_id", null, null],
  ["event_id", "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"],
  ["primitive_name", "x".repeat(256), "x".repeat(256)],
  ["primitive_name", "😀".repeat(256), "😀".repeat(256)],
  ["primitive_type", "", null],
  ["primitive_type", null, null],
  ["primitive_type", "x".repeat(64), "x".repeat(64)],
  ["primitive_type", "anything at all", "anything at all"],
  ["args", "", ""],
  ["result", "", ""],
  ["args", "x".repeat(KIB * KIB), "x".repeat(KIB * KIB)],
  ["args", '{"a": 1,\r\n "b":\t"é😀\\u0000"} ', '{"a": 1,\r\n "b":\t"é😀\\u0000"} '],
  ["success", false, false],
  ["success", null, true],
  ["success", undefined, true],
  ["latency", 0, 0],
  ["latency", 2 ** 53 - 1, 2 ** 53 - 1],
  ["latency", null, null],
  ["metadata", null, null],
  ["metadata", {}, {}],
  ["metadata", { a: [1, null, { b: "c" }], "checkpoint.x": 1.5 }, { a: [1, null, { b: "c" }], "checkpoint.x": 1.5 }],
  ["metadata", nested(32), nested(32)],
  [
    "metadata",
    { "checkpoint.a": "1714867201000", b: "1714867201000" },
    { "checkpoint.a": 1714867201000, b: "1714867201000" },
  ],
  ["metadata", { "checkpoint.a": 0, "checkpoint.b": 1e300 }, { "checkpoint.a": 0, "checkpoint.b": 1e300 }],
];

describe("event fields", () => {
  for (const [field, value, reason] of BAD_EVENTS) {
    it(`refuse ${field} = ${JSON.stringify(value)?.slice(0, 60)} and nothing else`, async () => {
      const writer = await createWriter();
      const { results, body } = await writer.events([createEvent(), createEvent({ [field]: value }), createEvent()]);
      expect([body["accepted"], body["rejected"], await writer.count()]).to.deep.equal([2, 1, 2]);
      expect(results[1]?.reason).to.match(reason);
    });
  }

  for (const [field, value, stored] of GOOD_EVENTS) {
    it(`keep ${field} = ${JSON.stringify(value)?.slice(0, 60)}`, async () => {
      const writer = await createWriter();
      const event = createEvent({ [field]: value });
      expect((await writer.event(event)).status).to.equal(200);
      expect((await writer.storedEvent(event.event_id))?.[field]).to.deep.equal(stored);
    });
  }

  it("refuse numbers that no double can represent", async () => {
    const writer = await createWriter();
    for (const [field, number] of [
      ["latency", "1e999"],
      ["latency", "9223372036854775808"],
      ["timestamp", "1e999"],
    ]) {
      const body = JSON.stringify(createEvent({ [`${field}`]: 0 })).replace(`"${field}":0`, `"${field}":${number}`);
      const reply = await writer.raw("capture-event", body);
      expect([reply.status, reply.body["field"]]).to.deep.equal([400, field]);
    }
    const inside = JSON.stringify(createEvent({ metadata: { a: 0 } })).replace('"a":0', '"a":[-1e999]');
    expect((await writer.raw("capture-event", inside)).body["field"]).to.equal("metadata");
  });

  it("default the timestamp to the server's time, and keep received_at beside a sent timestamp", async () => {
    const writer = await createWriter();
    const [sent, defaulted] = [createEvent({ timestamp: Date.UTC(2001, 0, 1) }), createEvent()];
    const before = Date.now();
    await writer.events([sent, defaulted]);
    const [one, two] = [await writer.storedEvent(sent.event_id), await writer.storedEvent(defaulted.event_id)];
    expect(one?.["timestamp"]).to.deep.equal(new Date(sent.timestamp));
    expect(Number(one?.["received_at"])).to.be.at.least(before);
    expect(two?.["timestamp"]).to.deep.equal(two?.["received_at"]);
  });

  it("accept timestamps from 2000 to a day ahead", async () => {
    const writer = await createWriter();
    const times = [Date.UTC(2000, 0, 1), Date.now() + 23 * HOUR];
    const { body } = await writer.events(times.map((timestamp) => createEvent({ timestamp })));
    expect(body["accepted"]).to.equal(2);
  });

  it("refuse the event itself as its parent, in any case", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const reply = await writer.event({ ...event, parent_id: event.event_id.toUpperCase() });
    expect([reply.status, reply.body["field"]]).to.deep.equal([400, "parent_id"]);
  });

  it("replace U+0000 and lone surrogates by U+FFFD, and count them", async () => {
    const writer = await createWriter();
    const event = createEvent({
      primitive_name: "a\0b",
      args: "\ud800x\udc00\0",
      result: "fine 😀",
      metadata: { "k\0": ["\udfff", { "\ud83d": 1 }] },
    });
    expect((await writer.events([event, createEvent()])).body["accepted"]).to.equal(2);
    const stored = await writer.storedEvent(event.event_id);
    expect(stored).to.include({ primitive_name: "a�b", args: "�x��", result: "fine 😀", sanitized: 7 });
    expect(stored?.["metadata"]).to.deep.equal({ "k�": ["�", { "�": 1 }] });
  });

  it("count no replacement for valid text", async () => {
    const writer = await createWriter();
    const event = createEvent({ args: "\\u0000 � 😀 \u00e9" });
    await writer.event(event);
    expect(await writer.storedEvent(event.event_id)).to.include({ sanitized: 0, args: event.args });
  });

  it("treat __proto__ as an ordinary key", async () => {
    const writer = await createWriter();
    const event = createEvent();
    const metadata = '{"__proto__": {"cookie": "x", "polluted": true}, "constructor": {"prototype": 1}}';
    const body = JSON.stringify(event).replace(/}$/, `, "__proto__": {"args": 5}, "metadata": ${metadata}}`);
    expect((await writer.raw("capture-event", body)).status).to.equal(200);
    const stored = (await writer.storedEvent(event.event_id))?.["metadata"];
    expect(withoutHints(JSON.stringify(stored))).to.equal(
      metadata.replaceAll(": ", ":").replaceAll(", ", ",").replace('"x"', '"[redacted:header]"'),
    );
    expect({}).not.to.have.property("polluted");
  });

  it("redact secrets in metadata at any depth, for any case of the key", async () => {
    const writer = await createWriter();
    const keys = ["authorization", "Proxy-Authorization", "COOKIE", "set-cookie", "X-Api-Key"];
    const secrets = Object.fromEntries(keys.map((key) => [key, "hunter2"]));
    const event = createEvent({
      metadata: { ...secrets, deep: [{ ...secrets, cookie: ["hunter2"] }], "my-cookie": "kept", cookies: 5 },
    });
    await writer.event(event);
    const stored = JSON.stringify((await writer.storedEvent(event.event_id))?.["metadata"]);
    expect(stored).not.to.contain("hunter2");
    expect(stored)
      .to.contain("kept")
      .and.match(/"set-cookie":"\[redacted:header:[0-9a-f]{4}\]"/);
  });
});

/** Removes the hints from marks, so that only the kinds remain. */
const withoutHints = (text: string) => text.replaceAll(/(\[redacted:[a-z-]+):[0-9a-f]{4}\]/g, "$1]");

const BAD_SESSIONS: Case[] = [
  ["session_id", undefined, /session_id is required/],
  ["session_id", "x", /session_id must be a UUID/],
  ["user_data", undefined, /user_data is required/],
  ["user_data", null, /user_data is required/],
  ["user_data", "u", /user_data must be an object/],
  ["user_data", {}, /user_data.user_id is required/],
  ["user_data", { user_id: null }, /user_data.user_id is required/],
  ["user_data", { user_id: "" }, /user_data.user_id must not be empty/],
  ["user_data", { user_id: 5 }, /user_data.user_id must be a string/],
  ["user_data", { user_id: "x".repeat(257) }, /at most 256 characters/],
  ["user_data", { userId: null }, /user_data.user_id is required/],
  ["user_data", { userId: 5 }, /user_data.userId must be a string/],
  ["user_data", { user_id: "", userId: "u" }, /user_data.user_id must not be empty/],
  ["user_data", { user_id: "u", trait: "x".repeat(32 * KIB) }, /at most 32 KiB/],
  ["metadata", [], /metadata must be an object/],
  ["metadata", { a: "x".repeat(64 * KIB) }, /at most 64 KiB/],
  ["metadata", nested(33), /at most 32 levels/],
  ["timestamp", 1_700_000_000, /looks like seconds/],
  ["client_config", 5, /must be a string/],
  ["client_config", "x".repeat(257), /at most 256 characters/],
];

describe("session fields", () => {
  for (const [field, value, reason] of BAD_SESSIONS) {
    it(`refuse ${field} = ${JSON.stringify(value)?.slice(0, 60)}`, async () => {
      const writer = await createWriter();
      const { status, body } = await writer.session(createSession({ [field]: value }));
      expect([status, body["code"]]).to.deep.equal([400, "invalid_session"]);
      expect(body["error"]).to.match(reason);
      expect(String(body["field"])).to.match(new RegExp(`^${field}`));
    });
  }

  it("are stored, traits with their types", async () => {
    const writer = await createWriter();
    const traits = { plan: "pro", seats: 5, beta: true, region: null, tags: ["a", { b: 1 }], score: 1.5 };
    const session = createSession({
      user_data: { user_id: "u-é", ...traits },
      metadata: { a: 1, Cookie: "x" },
      client_config: "sdk 1.2",
      timestamp: Date.UTC(2020, 5, 1),
    });
    expect((await writer.session(session)).status).to.equal(200);
    const stored = await writer.storedSession(session.session_id);
    expect(stored).to.include({ user_id: "u-é", client_config: "sdk 1.2", registered: true });
    const metadata = withoutHints(JSON.stringify(stored?.["metadata"]));
    expect(JSON.parse(metadata)).to.deep.equal({ a: 1, Cookie: "[redacted:header]" });
    expect(stored?.["timestamp"]).to.deep.equal(new Date(Date.UTC(2020, 5, 1)));
    expect((await writer.storedUser("u-é"))?.["traits"]).to.deep.equal(traits);
  });

  it("read the user from userId when user_id is absent, and otherwise keep userId as a trait", async () => {
    const writer = await createWriter();
    const sent: [object, string, object][] = [
      [{ userId: "one", plan: "pro" }, "one", { plan: "pro" }],
      [{ user_id: null, userId: "two" }, "two", {}],
      [{ user_id: "three", userId: "four" }, "three", { userId: "four" }],
    ];
    for (const [user_data, user, traits] of sent) {
      const session = createSession({ user_data });
      expect((await writer.session(session)).status).to.equal(200);
      expect((await writer.storedSession(session.session_id))?.["user_id"]).to.equal(user);
      expect((await writer.storedUser(user))?.["traits"]).to.deep.equal(traits);
    }
  });

  it("replace characters that PostgreSQL cannot store, in user ids and traits too", async () => {
    const writer = await createWriter();
    const session = createSession({ user_data: { user_id: "u\0", "\ud800": "\0" }, metadata: { a: "\0" } });
    expect((await writer.session(session)).status).to.equal(200);
    expect(await writer.storedSession(session.session_id)).to.include({ user_id: "u�", sanitized: 1 });
    expect(await writer.storedUser("u�")).to.deep.include({ traits: { "�": "�" }, sanitized: 3 });
  });

  it("default the timestamp to the server's time", async () => {
    const writer = await createWriter();
    const session = createSession();
    const before = Date.now();
    await writer.session(session);
    expect(Number((await writer.storedSession(session.session_id))?.["timestamp"])).to.be.at.least(before);
  });
});

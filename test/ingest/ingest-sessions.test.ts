import { expect } from "chai";
import { createEvent, createSession, createWriter } from "../support/recording/ingest.ts";

describe("a repeated session", () => {
  it("merges metadata and traits per top-level key", async () => {
    const writer = await createWriter();
    const first = { user_data: { user_id: "u", plan: "free", nested: { a: 1 } }, metadata: { a: 1, b: { x: 1 } } };
    const session = createSession(first);
    await writer.session(session);
    const again = { user_data: { user_id: "u", plan: "pro", nested: { b: 2 } }, metadata: { b: { y: 2 }, c: null } };
    expect((await writer.session({ ...session, ...again })).status).to.equal(200);
    const stored = await writer.storedSession(session.session_id);
    expect(stored?.["metadata"]).to.deep.equal({ a: 1, b: { y: 2 }, c: null });
    expect((await writer.storedUser("u"))?.["traits"]).to.deep.equal({ plan: "pro", nested: { b: 2 } });
  });

  it("keeps values that are not sent again", async () => {
    const writer = await createWriter();
    const timestamp = Date.UTC(2020, 0, 1);
    const session = createSession({ metadata: { a: 1 }, client_config: "sdk", timestamp });
    await writer.session(session);
    await writer.session(createSession({ session_id: session.session_id }));
    const stored = await writer.storedSession(session.session_id);
    expect(stored).to.deep.include({ metadata: { a: 1 }, client_config: "sdk", timestamp: new Date(timestamp) });
  });

  it("of another user is refused with 409, and nothing of it is stored", async () => {
    const writer = await createWriter();
    const session = createSession();
    await writer.session(session);
    const other = { ...session, user_data: { user_id: "u-2", plan: "pro" }, metadata: { a: 1 } };
    const { status, body } = await writer.session(other);
    expect([status, body["code"], body["field"]]).to.deep.equal([409, "session_conflict", "user_data.user_id"]);
    expect(await writer.storedUser("u-2")).to.equal(undefined);
    expect(await writer.storedSession(session.session_id)).to.deep.include({ user_id: "u-1", metadata: {} });
  });

  it("that is sent twelve times concurrently before it exists gets 200 each time, and is merged", async () => {
    const writer = await createWriter();
    const session = createSession();
    const calls = Array.from({ length: 12 }, (_, n) => writer.session({ ...session, metadata: { [`k${n}`]: n } }));
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal(calls.map(() => 200));
    const stored = await writer.storedSession(session.session_id);
    expect(Object.keys(stored?.["metadata"] as object)).to.have.length(12);
  });

  it("that two users send concurrently belongs to one of them", async () => {
    const writer = await createWriter();
    const session = createSession();
    const users = ["a", "b", "a", "b", "a", "b"];
    const replies = await Promise.all(users.map((user_id) => writer.session({ ...session, user_data: { user_id } })));
    const winner = (await writer.storedSession(session.session_id))?.["user_id"];
    expect(replies.map(({ status }) => status)).to.deep.equal(users.map((user) => (user === winner ? 200 : 409)));
  });

  it("cannot exceed the size limit by merging", async () => {
    const writer = await createWriter();
    const session = createSession();
    const part = (n: number) => ({ ...session, metadata: { [`k${n}`]: "x".repeat(60_000) } });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await writer.session(part(n))).status);
    const last = await writer.session(part(9));
    expect(statuses).to.deep.equal([200, 200, 200, 200, 400, 400]);
    expect(last.body["error"]).to.contain("256 KiB");
  });
});

describe("an event before its session", () => {
  it("is accepted, with a stub of the session", async () => {
    const writer = await createWriter();
    const event = createEvent({ timestamp: Date.UTC(2021, 0, 1) });
    expect((await writer.event(event)).status).to.equal(200);
    const stub = await writer.storedSession(event.session_id);
    expect(stub).to.deep.include({ registered: false, user_id: null, timestamp: new Date(event.timestamp) });
  });

  it("has its stub completed when the session arrives", async () => {
    const writer = await createWriter();
    const event = createEvent();
    await writer.event(event);
    const session = createSession({
      session_id: event.session_id,
      metadata: { a: 1 },
      timestamp: Date.UTC(2021, 0, 1),
    });
    expect((await writer.session(session)).status).to.equal(200);
    const stored = await writer.storedSession(event.session_id);
    expect(stored).to.deep.include({ registered: true, user_id: "u-1", metadata: { a: 1 } });
    expect(stored?.["timestamp"]).to.deep.equal(new Date(Date.UTC(2021, 0, 1)));
  });

  it("and the concurrent session give one registered session", async () => {
    const writer = await createWriter();
    const session = createSession();
    const { session_id } = session;
    const calls = Array.from({ length: 10 }, (_, n) =>
      n % 2 ? writer.session(session) : writer.event(createEvent({ session_id })),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal(calls.map(() => 200));
    expect(await writer.storedSession(session_id)).to.include({ registered: true, user_id: "u-1" });
  });

  it("may name a parent that is unknown, or in another session", async () => {
    const writer = await createWriter();
    const parent = createEvent();
    const children = [createEvent({ parent_id: parent.session_id }), createEvent({ parent_id: parent.event_id })];
    expect((await writer.events([...children, parent])).body["accepted"]).to.equal(3);
  });
});

import { expect } from "chai";
import { anEvent, aSession, freshWriter } from "../support/recording/ingest.ts";

describe("a repeated session", () => {
  it("merges metadata and traits per top-level key", async () => {
    const writer = await freshWriter();
    const first = { user_data: { user_id: "u", plan: "free", nested: { a: 1 } }, metadata: { a: 1, b: { x: 1 } } };
    const session = aSession(first);
    await writer.session(session);
    const again = { user_data: { user_id: "u", plan: "pro", nested: { b: 2 } }, metadata: { b: { y: 2 }, c: null } };
    expect((await writer.session({ ...session, ...again })).status).to.equal(200);
    const stored = await writer.storedSession(session.session_id);
    expect(stored?.["metadata"]).to.deep.equal({ a: 1, b: { y: 2 }, c: null });
    expect((await writer.storedUser("u"))?.["traits"]).to.deep.equal({ plan: "pro", nested: { b: 2 } });
  });

  it("keeps what is not sent again", async () => {
    const writer = await freshWriter();
    const timestamp = Date.UTC(2020, 0, 1);
    const session = aSession({ metadata: { a: 1 }, client_config: "sdk", timestamp });
    await writer.session(session);
    await writer.session(aSession({ session_id: session.session_id }));
    const stored = await writer.storedSession(session.session_id);
    expect(stored).to.deep.include({ metadata: { a: 1 }, client_config: "sdk", timestamp: new Date(timestamp) });
  });

  it("of another user is refused with 409, and nothing of it is kept", async () => {
    const writer = await freshWriter();
    const session = aSession();
    await writer.session(session);
    const other = { ...session, user_data: { user_id: "u-2", plan: "pro" }, metadata: { a: 1 } };
    const { status, body } = await writer.session(other);
    expect([status, body["code"], body["field"]]).to.deep.equal([409, "session_conflict", "user_data.user_id"]);
    expect(await writer.storedUser("u-2")).to.equal(undefined);
    expect(await writer.storedSession(session.session_id)).to.deep.include({ user_id: "u-1", metadata: {} });
  });

  it("sent twelve times at once before it exists answers 200 to all, and merges them", async () => {
    const writer = await freshWriter();
    const session = aSession();
    const calls = Array.from({ length: 12 }, (_, n) => writer.session({ ...session, metadata: { [`k${n}`]: n } }));
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal(calls.map(() => 200));
    const stored = await writer.storedSession(session.session_id);
    expect(Object.keys(stored?.["metadata"] as object)).to.have.length(12);
  });

  it("sent by two users at once belongs to one of them", async () => {
    const writer = await freshWriter();
    const session = aSession();
    const users = ["a", "b", "a", "b", "a", "b"];
    const replies = await Promise.all(users.map((user_id) => writer.session({ ...session, user_data: { user_id } })));
    const winner = (await writer.storedSession(session.session_id))?.["user_id"];
    expect(replies.map(({ status }) => status)).to.deep.equal(users.map((user) => (user === winner ? 200 : 409)));
  });

  it("may not grow without bound", async () => {
    const writer = await freshWriter();
    const session = aSession();
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
    const writer = await freshWriter();
    const event = anEvent({ timestamp: Date.UTC(2021, 0, 1) });
    expect((await writer.event(event)).status).to.equal(200);
    const stub = await writer.storedSession(event.session_id);
    expect(stub).to.deep.include({ registered: false, user_id: null, timestamp: new Date(event.timestamp) });
  });

  it("has its stub filled when the session comes", async () => {
    const writer = await freshWriter();
    const event = anEvent();
    await writer.event(event);
    const session = aSession({ session_id: event.session_id, metadata: { a: 1 }, timestamp: Date.UTC(2021, 0, 1) });
    expect((await writer.session(session)).status).to.equal(200);
    const stored = await writer.storedSession(event.session_id);
    expect(stored).to.deep.include({ registered: true, user_id: "u-1", metadata: { a: 1 } });
    expect(stored?.["timestamp"]).to.deep.equal(new Date(Date.UTC(2021, 0, 1)));
  });

  it("and the session at once leave one registered session", async () => {
    const writer = await freshWriter();
    const session = aSession();
    const { session_id } = session;
    const calls = Array.from({ length: 10 }, (_, n) =>
      n % 2 ? writer.session(session) : writer.event(anEvent({ session_id })),
    );
    expect((await Promise.all(calls)).map(({ status }) => status)).to.deep.equal(calls.map(() => 200));
    expect(await writer.storedSession(session_id)).to.include({ registered: true, user_id: "u-1" });
  });

  it("may name a parent that is unknown, or in another session", async () => {
    const writer = await freshWriter();
    const parent = anEvent();
    const children = [anEvent({ parent_id: parent.session_id }), anEvent({ parent_id: parent.event_id })];
    expect((await writer.events([...children, parent])).body["accepted"]).to.equal(3);
  });
});

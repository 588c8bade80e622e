import { expect } from "chai";
import { removeOldSessions } from "../../server/jobs/retention/retention.ts";
import { earlierSql } from "../support/db/database.ts";
import { createEvent, createSession, createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { postHook, readHookFixture } from "../support/recording/observed-sessions.ts";
import { startSharedServer, waitUntilFolded } from "../support/server.ts";

const DAY = 86_400_000;

/** Moves all data of an organization a number of days into the past. */
async function age({ organizationId }: IngestWriter, days: number): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  const shift = `interval '${days} days'`;
  const values = [organizationId];
  await db.query({
    text: `update recorded_event set received_at = ${earlierSql("received_at", shift)} where organization_id = $1`,
    values,
  });
  await db.query({
    text: `update recorded_session set ${["last_received_at", "received_at", "timestamp"]
      .map((column) => `${column} = ${earlierSql(column, shift)}`)
      .join(", ")} where organization_id = $1`,
    values,
  });
}

const retain = async (days: number) => removeOldSessions((await startSharedServer()).runtime.db, days);

describe("retention", () => {
  it("deletes whole sessions without recent events, with their events and users", async () => {
    const writer = await createWriter();
    const session = createSession();
    const event = createEvent({ session_id: session.session_id });
    await writer.session(session);
    await writer.events([event, createEvent()]);
    await age(writer, 31);
    await retain(30);
    expect([await writer.count(), await writer.storedSession(session.session_id)]).to.deep.equal([0, undefined]);
    expect(await writer.storedUser("u-1")).to.equal(undefined);
  });

  it("keeps a whole session that has one recent event", async () => {
    const writer = await createWriter();
    const [old, late, other] = [createEvent(), createEvent(), createEvent()];
    await writer.events([old, other]);
    await age(writer, 31);
    await writer.event({ ...late, session_id: old.session_id });
    await retain(30);
    expect(await writer.count()).to.equal(2);
    expect(await writer.storedSession(other.session_id)).to.equal(undefined);
  });

  it("keeps a session that was sent again, for any timestamp", async () => {
    const writer = await createWriter();
    const session = createSession({ timestamp: Date.now() - 400 * DAY });
    await writer.session(session);
    await age(writer, 31);
    await writer.session(session);
    await retain(30);
    expect(await writer.storedSession(session.session_id)).to.include({ registered: true });
  });

  it("keeps a user who has another session", async () => {
    const writer = await createWriter();
    const [one, two] = [createSession(), createSession()];
    await writer.session(one);
    await age(writer, 31);
    await writer.session(two);
    await retain(30);
    expect(await writer.storedSession(one.session_id)).to.equal(undefined);
    expect(await writer.storedUser("u-1")).to.include({ user_id: "u-1" });
  });

  it("frees the ids of deleted sessions for other content", async () => {
    const writer = await createWriter();
    const event = createEvent();
    await writer.event(event);
    await age(writer, 31);
    await retain(30);
    expect((await writer.event({ ...event, args: "other" })).status).to.equal(200);
  });

  it("deletes more sessions and events than one slice contains", async () => {
    const writer = await createWriter();
    const one = createEvent();
    for (let n = 0; n < 5; n += 1) {
      const events = Array.from({ length: 500 }, (_, row) =>
        createEvent(row % 10 ? { session_id: one.session_id } : {}),
      );
      expect((await writer.events(events)).body["accepted"]).to.equal(500);
    }
    await age(writer, 31);
    await retain(30);
    expect(await writer.count()).to.equal(0);
    expect(await writer.storedSession(one.session_id)).to.equal(undefined);
  });

  it("with a concurrent writer never leaves an event without its session", async () => {
    const writer = await createWriter();
    const events = Array.from({ length: 20 }, () => createEvent());
    await writer.events(events);
    const { db } = (await startSharedServer()).runtime;
    for (let round = 0; round < 4; round += 1) {
      await age(writer, 31);
      const more = events.map(({ session_id }) => createEvent({ session_id }));
      await Promise.all([retain(30), ...more.map((event) => writer.event(event))]);
    }
    const text = `select count(*)::integer as lost from recorded_event e where organization_id = $1 and not exists (
      select from recorded_session s where s.organization_id = $1 and s.session_id = e.session_id)`;
    expect(await db.query({ text, values: [writer.organizationId] })).to.deep.equal([{ lost: 0 }]);
  });

  it("deletes a session's rows in every other table, and keeps those of other sessions", async () => {
    const [gone, kept] = [await createWriter(), await createWriter()];
    const { db, projector } = (await startSharedServer()).runtime;
    const tables = ["recorded_delta", "recorded_open", "recorded_observation", "recorded_event", "recorded_session"];
    const counts = async ({ organizationId }: IngestWriter) => {
      await waitUntilFolded({ projector }, organizationId);
      const one = tables.map(
        (table) => `(select count(*)::integer from ${table} where organization_id = $1) as ${table}`,
      );
      return (await db.query({ text: `select ${one.join(", ")}`, values: [organizationId] }))[0];
    };
    for (const writer of [gone, kept]) {
      await writer.event(createEvent());
      await postHook(
        { url: writer.url, ingestKey: writer.key },
        "gemini-cli",
        readHookFixture("gemini/02-before-agent"),
      );
    }
    const all = {
      recorded_delta: 1,
      recorded_open: 1,
      recorded_observation: 1,
      recorded_event: 2,
      recorded_session: 2,
    };
    expect(await counts(gone)).to.deep.equal(all);
    await age(gone, 31);
    await retain(30);
    expect(await counts(gone)).to.deep.equal(Object.fromEntries(tables.map((table) => [table, 0])));
    expect(await counts(kept)).to.deep.equal(all);
  });
});

import { expect } from "chai";
import { createEvent, createSession, createWriter } from "../support/recording/ingest.ts";
import { startSharedServer } from "../support/server.ts";

/** Makes the database refuse rows for a reason that no check can foresee, while `work` runs. */
async function withConstraint(table: string, check: string, work: () => Promise<void>): Promise<void> {
  const { db } = (await startSharedServer()).runtime;
  await db.query({ text: `alter table ${table} add constraint refused check (${check}) not valid` });
  try {
    await work();
  } finally {
    await db.query({ text: `alter table ${table} drop constraint refused` });
  }
}

const noPoison = (work: () => Promise<void>) => withConstraint("recorded_event", "primitive_name <> 'poison'", work);
const poison = () => createEvent({ primitive_name: "poison" });

describe("a row that the database refuses", () => {
  it("is rejected alone, and 499 other rows are stored", () =>
    noPoison(async () => {
      const writer = await createWriter();
      const rows = Array.from({ length: 500 }, (_, n) => (n === 333 ? poison() : createEvent()));
      const { status, body, results } = await writer.events(rows);
      expect([status, body["accepted"], body["rejected"], await writer.count()]).to.deep.equal([202, 499, 1, 499]);
      expect(results[333]).to.include({ status: "rejected", reason: "the database cannot store this row (23514)" });
    }));

  it("does not fail the requests that share its commit", () =>
    noPoison(async () => {
      const writers = await Promise.all(Array.from({ length: 8 }, () => createWriter()));
      const replies = await Promise.all(
        writers.map((writer, n) => writer.events([createEvent(), n === 3 ? poison() : createEvent()])),
      );
      expect(replies.map(({ body }) => body["accepted"])).to.deep.equal(writers.map((_, n) => (n === 3 ? 1 : 2)));
    }));

  it("leaves no stub of its session", () =>
    noPoison(async () => {
      const writer = await createWriter();
      const row = poison();
      await writer.events([createEvent(), row]);
      expect(await writer.storedSession(row.session_id)).to.equal(undefined);
    }));

  it("gets its own result beside repeats and conflicts", () =>
    noPoison(async () => {
      const writer = await createWriter();
      const known = createEvent();
      await writer.event(known);
      const { results } = await writer.events([known, poison(), { ...known, args: "other" }, createEvent()]);
      expect(results.map(({ status }) => status)).to.deep.equal(["accepted", "rejected", "rejected", "accepted"]);
    }));

  it("gets a 400 on the single endpoints, and concurrent requests succeed", () =>
    noPoison(() =>
      withConstraint("recorded_user", "user_id <> 'poison'", async () => {
        const writer = await createWriter();
        const replies = await Promise.all([
          writer.event(createEvent()),
          writer.event(poison()),
          writer.session(createSession({ user_data: { user_id: "poison" } })),
          writer.session(createSession()),
        ]);
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 400, 400, 200]);
      }),
    ));
});

describe("evaluator packs", () => {
  it("do not exist: ingestion creates no table for them", async () => {
    const writer = await createWriter();
    await writer.events([createEvent()]);
    const { db } = (await startSharedServer()).runtime;
    const text = "select table_name from information_schema.tables where table_name ~* 'evaluat|pack|scor'";
    expect(await db.query({ text })).to.deep.equal([]);
  });
});

import { expect } from "chai";
import { anEvent, aSession, freshWriter } from "../support/recording/ingest.ts";
import { sharedServer } from "../support/server.ts";

/** Makes the database refuse what a check cannot foresee, for as long as `work` takes. */
async function withConstraint(table: string, check: string, work: () => Promise<void>): Promise<void> {
  const { db } = (await sharedServer()).runtime;
  await db.query({ text: `alter table ${table} add constraint refused check (${check}) not valid` });
  try {
    await work();
  } finally {
    await db.query({ text: `alter table ${table} drop constraint refused` });
  }
}

const noPoison = (work: () => Promise<void>) => withConstraint("recorded_event", "primitive_name <> 'poison'", work);
const poison = () => anEvent({ primitive_name: "poison" });

describe("a row the database refuses", () => {
  it("is rejected alone; 499 others are stored", () =>
    noPoison(async () => {
      const writer = await freshWriter();
      const rows = Array.from({ length: 500 }, (_, n) => (n === 333 ? poison() : anEvent()));
      const { status, body, results } = await writer.events(rows);
      expect([status, body["accepted"], body["rejected"], await writer.count()]).to.deep.equal([202, 499, 1, 499]);
      expect(results[333]).to.include({ status: "rejected", reason: "the database cannot store this row (23514)" });
    }));

  it("does not fail the requests that share its commit", () =>
    noPoison(async () => {
      const writers = await Promise.all(Array.from({ length: 8 }, () => freshWriter()));
      const replies = await Promise.all(
        writers.map((writer, n) => writer.events([anEvent(), n === 3 ? poison() : anEvent()])),
      );
      expect(replies.map(({ body }) => body["accepted"])).to.deep.equal(writers.map((_, n) => (n === 3 ? 1 : 2)));
    }));

  it("leaves no stub of its session", () =>
    noPoison(async () => {
      const writer = await freshWriter();
      const row = poison();
      await writer.events([anEvent(), row]);
      expect(await writer.storedSession(row.session_id)).to.equal(undefined);
    }));

  it("beside repeats and conflicts still gets its own verdict", () =>
    noPoison(async () => {
      const writer = await freshWriter();
      const known = anEvent();
      await writer.event(known);
      const { results } = await writer.events([known, poison(), { ...known, args: "other" }, anEvent()]);
      expect(results.map(({ status }) => status)).to.deep.equal(["accepted", "rejected", "rejected", "accepted"]);
    }));

  it("is a 400 on the single endpoints, with neighbours unharmed", () =>
    noPoison(() =>
      withConstraint("recorded_user", "user_id <> 'poison'", async () => {
        const writer = await freshWriter();
        const replies = await Promise.all([
          writer.event(anEvent()),
          writer.event(poison()),
          writer.session(aSession({ user_data: { user_id: "poison" } })),
          writer.session(aSession()),
        ]);
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 400, 400, 200]);
      }),
    ));
});

describe("evaluator packs", () => {
  it("do not exist: ingestion creates, approves and activates none", async () => {
    const writer = await freshWriter();
    await writer.events([anEvent()]);
    const { db } = (await sharedServer()).runtime;
    const text = "select table_name from information_schema.tables where table_name ~* 'evaluat|pack|scor'";
    expect(await db.query({ text })).to.deep.equal([]);
  });
});

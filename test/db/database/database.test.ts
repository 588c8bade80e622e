import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { knex, toStatement } from "../../../db/builder.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { catchFailure, openTestDatabase } from "../../support/db/database.ts";

/** Tests on both engines the behaviour that every user of the database relies on. */
describe("the database", () => {
  let db: Database;
  const one = { text: "select 1 as one" };
  const name = `test_${randomUUID()}`;
  const table = `"${name}"`;

  before(async () => {
    db = await openTestDatabase();
    await db.query({ text: `create table ${table} (id integer primary key, word text)` });
  });

  const insert = (id: number) => ({ text: `insert into ${table} (id) values ($1)`, values: [id] });
  const stored = async (id: number) => (await db.query({ text: `select from ${table} where id = ${id}` })).length === 1;

  for (const [method, misuse] of Object.entries<(db: Database) => Promise<unknown>>({
    query: (pool) => pool.query(one),
    transaction: (pool) => pool.transaction(async () => {}),
    connection: (pool) => pool.connection(async () => {}),
    ping: (pool) => pool.ping(),
  })) {
    it(`refuses db.${method} immediately inside a transaction`, async () => {
      const error = await catchFailure(db.transaction(() => misuse(db)));
      expect(error.message).to.match(/inside an open transaction/);
    });
  }

  it("refuses the pool to a caller that holds a connection", async () => {
    expect((await catchFailure(db.connection(() => db.query(one)))).message).to.match(/inside an open transaction/);
  });

  it("serves work that a transaction started once the transaction has ended", async () => {
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction(async () => {
      later = new Promise((resume) => setTimeout(resume, 50)).then(() => db.query(one));
    });
    expect(await later).to.deep.equal([{ one: 1 }]);
  });

  it("commits when the work resolves, and rolls back when it throws", async () => {
    await db.transaction((trx) => trx.query(insert(1)));
    await catchFailure(
      db.transaction(async (trx) => {
        await trx.query(insert(2));
        throw new Error("no");
      }),
    );
    expect([await stored(1), await stored(2)]).to.deep.equal([true, false]);
  });

  it("rejects with the error of a statement even if the work caught it, and stores nothing", async () => {
    const careless = db.transaction(async (trx) => {
      await trx.query(insert(3));
      await trx.query({ text: "select 1 / 0" }).catch(() => {});
    });
    expect((await catchFailure(careless)).message).to.match(/division by zero/);
    expect(await stored(3)).to.equal(false);
  });

  it("rolls back and rejects when a statement that was not awaited fails", async () => {
    const hasty = db.transaction(async (trx) => {
      void trx.query(insert(3));
      void trx.query({ text: "select 1 / 0" });
      void trx.query({ text: "select 'never runs'" });
    });
    expect((await catchFailure(hasty)).message).to.match(/division by zero/);
    expect(await stored(3)).to.equal(false);
  });

  it("commits after a failure that a savepoint caught", async () => {
    await db.transaction(async (trx) => {
      await trx.query({ text: "savepoint before" });
      await trx.query(insert(1)).catch(() => trx.query({ text: "rollback to savepoint before" }));
      await trx.query(insert(5));
    });
    expect(await stored(5)).to.equal(true);
  });

  it("rolls back on request, and still resolves", async () => {
    const answer = await db.transaction(async (trx) => {
      await trx.query(insert(6));
      trx.undo();
      return "unchanged";
    });
    expect([answer, await stored(6)]).to.deep.equal(["unchanged", false]);
  });

  it("refuses a transaction's query after its end", async () => {
    const query = await db.transaction(async (trx) => trx.query);
    expect((await catchFailure(query(one))).message).to.equal("the transaction is over");
  });

  it("runs knex builders in its transaction, with a lock timeout of 2 s", async () => {
    await db.transaction(async (trx) => {
      await trx.query(insert(4));
      expect(await trx.query(toStatement(knex(name).where({ id: 4 }).select("id")))).to.deep.equal([{ id: 4 }]);
      expect(await trx.query({ text: "show lock_timeout" })).to.deep.equal([{ lock_timeout: "2s" }]);
    });
  });

  it("reads int8 as a number, dates as text, and times in UTC", async () => {
    const text = `select 9007199254740991::int8 as big, '{1,2}'::int8[] as list, date '2024-02-29' as day,
      current_setting('TimeZone') as zone, timestamptz '2024-01-01T00:00:00+02' as at`;
    const [row] = await db.query({ text });
    expect(row).to.deep.include({ big: 9007199254740991, list: [1, 2], day: "2024-02-29", zone: "UTC" });
    expect(row?.["at"]).to.deep.equal(new Date("2023-12-31T22:00:00Z"));
  });

  it("runs a named statement repeatedly, on any connection", async () => {
    const double = (n: number) => db.query({ name: "double", text: "select $1::int * 2 as n", values: [n] });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => double(n)));
    expect(answers.flat()).to.deep.equal(Array.from({ length: 20 }, (_, n) => ({ n: n * 2 })));
  });

  it("rejects with the deadline's own reason, and keeps serving", async () => {
    const error = await catchFailure(db.query({ text: "select pg_sleep(1)" }, AbortSignal.timeout(50)));
    expect(error.name).to.equal("TimeoutError");
    expect(await db.query(one)).to.deep.equal([{ one: 1 }]);
  });

  it("rejects with the driver's error for an invalid statement", async () => {
    const error = await catchFailure(db.query(insert(1)));
    expect(error).to.have.property("code", "23505");
    expect(error).not.to.be.instanceOf(UnavailableError);
  });

  it("transfers 5 MB in both directions unchanged", async () => {
    const word = randomUUID().repeat(140_000);
    const [row] = await db.query<{ word: string }>({ text: "select $1::text as word", values: [word] });
    expect(row?.word === word).to.equal(true);
  });

  it("responds to a ping, also when every connection is busy", async () => {
    const busy = Array.from({ length: 4 }, () => db.query({ text: "select pg_sleep(0.2)" }));
    expect(await db.ping()).to.equal(true);
    await Promise.all(busy);
  });

  it("closes once, also when close is called repeatedly", async () => {
    await db.query({ text: `drop table ${table}` });
    await Promise.all([db.close(), db.close()]);
    expect(await catchFailure(db.query(one))).to.be.instanceOf(UnavailableError);
  });
});

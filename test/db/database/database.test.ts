import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { knex, toStatement } from "../../../db/builder.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database } from "../../../db/open.ts";
import { failure, openTestDatabase } from "../../support/db/database.ts";

/** Shows on both engines what every user of the database relies on. */
describe("the database", function () {
  this.timeout(60_000);
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
    it(`refuses db.${method} at once to whoever holds a transaction`, async () => {
      const error = await failure(db.transaction(() => misuse(db)));
      expect(error.message).to.match(/inside an open transaction/);
    });
  }

  it("refuses the pool to whoever holds a connection", async () => {
    expect((await failure(db.connection(() => db.query(one)))).message).to.match(/inside an open transaction/);
  });

  it("serves what a transaction started once the transaction is over", async () => {
    let later: Promise<unknown> = Promise.resolve();
    await db.transaction(async () => {
      later = new Promise((resume) => setTimeout(resume, 50)).then(() => db.query(one));
    });
    expect(await later).to.deep.equal([{ one: 1 }]);
  });

  it("commits what resolves and rolls back what throws", async () => {
    await db.transaction((trx) => trx.query(insert(1)));
    await failure(
      db.transaction(async (trx) => {
        await trx.query(insert(2));
        throw new Error("no");
      }),
    );
    expect([await stored(1), await stored(2)]).to.deep.equal([true, false]);
  });

  it("does not report a commit when a statement failed inside and nobody looked", async () => {
    const careless = db.transaction(async (trx) => {
      await trx.query(insert(3));
      await trx.query({ text: "select 1 / 0" }).catch(() => {});
    });
    expect((await failure(careless)).message).to.match(/division by zero/);
    expect(await stored(3)).to.equal(false);
  });

  it("undoes and rejects when a statement that nobody awaited failed", async () => {
    const hasty = db.transaction(async (trx) => {
      void trx.query(insert(3));
      void trx.query({ text: "select 1 / 0" });
      void trx.query({ text: "select 'never runs'" });
    });
    expect((await failure(hasty)).message).to.match(/division by zero/);
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

  it("rolls back what was asked to be undone, and resolves all the same", async () => {
    const answer = await db.transaction(async (trx) => {
      await trx.query(insert(6));
      trx.undo();
      return "unchanged";
    });
    expect([answer, await stored(6)]).to.deep.equal(["unchanged", false]);
  });

  it("refuses a transaction's query after its end", async () => {
    const query = await db.transaction(async (trx) => trx.query);
    expect((await failure(query(one))).message).to.equal("the transaction is over");
  });

  it("runs what knex built in its transaction, with a lock time-out of 2 s", async () => {
    await db.transaction(async (trx) => {
      await trx.query(insert(4));
      expect(await trx.query(toStatement(knex(name).where({ id: 4 }).select("id")))).to.deep.equal([{ id: 4 }]);
      expect(await trx.query({ text: "show lock_timeout" })).to.deep.equal([{ lock_timeout: "2s" }]);
    });
  });

  it("reads int8 as a number, a date as its text, times in UTC", async () => {
    const text = `select 9007199254740991::int8 as big, '{1,2}'::int8[] as list, date '2024-02-29' as day,
      current_setting('TimeZone') as zone, timestamptz '2024-01-01T00:00:00+02' as at`;
    const [row] = await db.query({ text });
    expect(row).to.deep.include({ big: 9007199254740991, list: [1, 2], day: "2024-02-29", zone: "UTC" });
    expect(row?.["at"]).to.deep.equal(new Date("2023-12-31T22:00:00Z"));
  });

  it("runs a named statement again and again, on whichever connection", async () => {
    const double = (n: number) => db.query({ name: "double", text: "select $1::int * 2 as n", values: [n] });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => double(n)));
    expect(answers.flat()).to.deep.equal(Array.from({ length: 20 }, (_, n) => ({ n: n * 2 })));
  });

  it("rejects with the deadline's own reason and serves on", async () => {
    const error = await failure(db.query({ text: "select pg_sleep(1)" }, AbortSignal.timeout(50)));
    expect(error.name).to.equal("TimeoutError");
    expect(await db.query(one)).to.deep.equal([{ one: 1 }]);
  });

  it("says of an error of the statement what the driver says", async () => {
    const error = await failure(db.query(insert(1)));
    expect(error).to.have.property("code", "23505");
    expect(error).not.to.be.instanceOf(Unavailable);
  });

  it("carries 5 MB in and out unchanged", async () => {
    const word = randomUUID().repeat(140_000);
    const [row] = await db.query<{ word: string }>({ text: "select $1::text as word", values: [word] });
    expect(row?.word === word).to.equal(true);
  });

  it("answers a ping, also when every connection is busy", async () => {
    const busy = Array.from({ length: 4 }, () => db.query({ text: "select pg_sleep(0.2)" }));
    expect(await db.ping()).to.equal(true);
    await Promise.all(busy);
  });

  it("closes once and for all", async () => {
    await db.query({ text: `drop table ${table}` });
    await Promise.all([db.close(), db.close()]);
    expect(await failure(db.query(one))).to.be.instanceOf(Unavailable);
  });
});

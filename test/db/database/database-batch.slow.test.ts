import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Database } from "../../../db/open.ts";
import { catchFailure, openTestDatabase } from "../../support/db/database.ts";

const range = (length: number) => Array.from({ length }, (_, at) => at);

describe("statements in one packet", () => {
  let db: Database;
  const table = `"batch_${randomUUID()}"`;
  const insert = (id: number) => ({
    name: "insert",
    text: `insert into ${table} values ($1) returning id`,
    values: [id],
  });
  const count = { name: "count", text: `select count(*)::integer as n from ${table}` };

  before(async () => {
    db = await openTestDatabase({ poolSize: 2 });
    await db.query({ text: `create table ${table} (id integer primary key)` });
  });
  after(async () => {
    await db.query({ text: `drop table ${table}` });
    await db.close();
  });

  it("see the effects of earlier statements, and resolve in order", async () => {
    const answers = await db.transaction((trx) =>
      Promise.all([trx.query(count), trx.query(insert(1)), trx.query(count), trx.query(insert(2)), trx.query(count)]),
    );
    expect(answers).to.deep.equal([[{ n: 0 }], [{ id: 1 }], [{ n: 1 }], [{ id: 2 }], [{ n: 2 }]]);
  });

  it("are rolled back together, and the first failure is reported, awaited or not", async () => {
    const careless = db.transaction(async (trx) => {
      void trx.query(insert(3));
      void trx.query(insert(1));
      void trx.query({ name: "after", text: "select 1 as one" });
    });
    expect((await catchFailure(careless)).message).to.match(/duplicate key/);
    expect(await db.query(count)).to.deep.equal([{ n: 2 }]);
  });

  it("are prepared again if an earlier failure prevented their preparation", async () => {
    for (let n = 0; n < 4; n += 1) {
      const rows = await db.transaction((trx) => trx.query({ name: "after", text: "select 1 as one" }));
      expect(rows).to.deep.equal([{ one: 1 }]);
    }
  });

  it("are closed if a connection has too many, and prepared again at the next use", async () => {
    const large = (at: number) => ({ name: `large-${at}`, text: `select ${at} as at -- ${"-".repeat(90_000)}` });
    const prepared = { text: "select count(*)::integer as n from pg_prepared_statements where name like 'large-%'" };
    await db.transaction(async (trx) => {
      for (const at of [...range(12), 11, 0, 1]) expect(await trx.query(large(at))).to.deep.equal([{ at }]);
      expect(await trx.query(prepared)).to.deep.equal([{ n: 8 }]);
    });
    const failing = db.transaction(async (trx) => {
      void trx.query({ text: "select 1 / 0" });
      await Promise.all(range(12).map((at) => trx.query(large(at))));
    });
    expect((await catchFailure(failing)).message).to.match(/division by zero/);
    await db.transaction(async (trx) => {
      for (const at of range(12)) expect(await trx.query(large(at))).to.deep.equal([{ at }]);
    });
  });

  it("fail together when a value cannot be sent", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const work = db.transaction(async (trx) => {
      void trx.query(insert(4));
      await trx.query({ text: "select $1::json", values: [circle] });
    });
    expect((await catchFailure(work)).message).to.match(/circular/i);
    expect(await db.query(count)).to.deep.equal([{ n: 2 }]);
  });

  it("can fail after a savepoint, and the transaction continues", async () => {
    await db.transaction(async (trx) => {
      void trx.query({ text: "savepoint here" });
      await catchFailure(trx.query(insert(1)));
      void trx.query({ text: "rollback to savepoint here" });
      await trx.query(insert(5));
    });
    expect(await db.query(count)).to.deep.equal([{ n: 3 }]);
  });
});

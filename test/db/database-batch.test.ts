import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Database } from "../../db/open.ts";
import { failure, openTestDatabase } from "../support/database.ts";

describe("statements that travel together", function () {
  this.timeout(60_000);
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

  it("see what those before them did, and answer in their order", async () => {
    const answers = await db.transaction((trx) =>
      Promise.all([trx.query(count), trx.query(insert(1)), trx.query(count), trx.query(insert(2)), trx.query(count)]),
    );
    expect(answers).to.deep.equal([[{ n: 0 }], [{ id: 1 }], [{ n: 1 }], [{ id: 2 }], [{ n: 2 }]]);
  });

  it("are undone together, and the first failure is reported, awaited or not", async () => {
    const careless = db.transaction(async (trx) => {
      void trx.query(insert(3));
      void trx.query(insert(1));
      void trx.query({ name: "after", text: "select 1 as one" });
    });
    expect((await failure(careless)).message).to.match(/duplicate key/);
    expect(await db.query(count)).to.deep.equal([{ n: 2 }]);
  });

  it("are prepared again where a failure before them kept that from happening", async () => {
    for (let n = 0; n < 4; n += 1) {
      const rows = await db.transaction((trx) => trx.query({ name: "after", text: "select 1 as one" }));
      expect(rows).to.deep.equal([{ one: 1 }]);
    }
  });

  it("fail as one when a value cannot be sent", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const work = db.transaction(async (trx) => {
      void trx.query(insert(4));
      await trx.query({ text: "select $1::json", values: [circle] });
    });
    expect((await failure(work)).message).to.match(/circular/i);
    expect(await db.query(count)).to.deep.equal([{ n: 2 }]);
  });

  it("can fail behind a savepoint and go on", async () => {
    await db.transaction(async (trx) => {
      void trx.query({ text: "savepoint here" });
      await failure(trx.query(insert(1)));
      void trx.query({ text: "rollback to savepoint here" });
      await trx.query(insert(5));
    });
    expect(await db.query(count)).to.deep.equal([{ n: 3 }]);
  });
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Database, openDatabase } from "../db/open.ts";
import { freshDirectory } from "./support/database.ts";

const ANALYSED = `select reltuples::integer as rows from pg_class where relname = 'grown'`;

describe("upkeep of the embedded engine", function () {
  this.timeout(60_000);
  let db: Database;

  before(async () => {
    db = await openDatabase({ dataDir: freshDirectory(), poolSize: 1, warn: (message) => expect.fail(message) });
    await db.query({ text: "create table grown (word text primary key, more text)" });
  });
  after(() => db.close());

  it("analyses a table that grows while the engine is never idle", async () => {
    for (let at = 0; at < 3_000; at += 1_000) {
      const text = `insert into grown select n::text, repeat('m', 900) from generate_series($1::integer, $2::integer) n`;
      await db.query({ text, values: [at, at + 999] });
    }
    const busyUntil = performance.now() + 30_000;
    const rows = async () => (await db.query<{ rows: number }>({ text: ANALYSED }))[0]?.rows ?? 0;
    while ((await rows()) < 3_000 && performance.now() < busyUntil) await sleep(50);
    expect(await rows()).to.equal(3_000);
  });
});

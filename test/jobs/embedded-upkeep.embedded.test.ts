import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Database, openDatabase } from "../../db/open.ts";
import { createMigratedDirectory } from "../support/db/database.ts";

/** Inserts 3,000 rows. */
async function grow(db: Database, table: string): Promise<void> {
  await db.query({ text: `create table ${table} (word text primary key, more text)` });
  for (let at = 0; at < 3_000; at += 1_000) {
    const text = `insert into ${table} select n::text, repeat('m', 900) from generate_series($1::integer, $2::integer) n`;
    await db.query({ text, values: [at, at + 999] });
  }
}

/** Returns the planner's estimate of the table's rows. */
async function known(db: Database, table: string): Promise<number | undefined> {
  const text = "select reltuples::integer as rows from pg_class where relname = $1";
  return (await db.query<{ rows: number }>({ text, values: [table] }))[0]?.rows;
}

describe("maintenance of the embedded engine", () => {
  let db: Database;

  before(async () => {
    db = await openDatabase({
      dataDir: createMigratedDirectory(),
      poolSize: 1,
      warn: (message) => expect.fail(message),
    });
  });
  after(() => db.close());

  it("analyzes a table that grows while the engine is never idle", async () => {
    await grow(db, "busy");
    const busyUntil = performance.now() + 30_000;
    while ((await known(db, "busy")) !== 3_000 && performance.now() < busyUntil) await sleep(50);
    expect(await known(db, "busy")).to.equal(3_000);
  });

  it("analyzes a table that grew before a pause within seconds of the pause", async () => {
    await grow(db, "paused");
    await sleep(15_000);
    expect(await known(db, "paused")).to.equal(3_000);
  });
});

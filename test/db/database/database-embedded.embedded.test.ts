import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { DatabaseOpenError } from "../../../db/errors/cannot-open.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { type Database, openDatabase } from "../../../db/open.ts";
import { catchFailure, createDirectory, openInProcess } from "../../support/db/database.ts";

describe("the embedded engine", () => {
  const dataDir = createDirectory();
  const warnings: string[] = [];
  const open = () => openDatabase({ dataDir, poolSize: 1, warn: (message) => warnings.push(message) });
  let db: Database;

  before(async () => {
    mkdirSync(join(dataDir, "database.tmp-1", "base"), { recursive: true });
    db = await open();
    await db.query({ text: "create table note (id serial primary key, word text)" });
  });
  after(() => db.close());

  it("removes the remains of a killed first start", () => {
    expect(existsSync(join(dataDir, "database.tmp-1"))).to.equal(false);
  });

  it("refuses a second opener in the same process", async () => {
    const error = await catchFailure(open());
    expect(error).to.be.instanceOf(DatabaseOpenError);
    expect(error.message).to.match(new RegExp(`process ${process.pid} already uses this directory`));
  });

  it("refuses a second opener in another process", async () => {
    expect(await openInProcess({ dataDir }).output).to.match(/DATA_DIR: process \d+ already uses this directory/);
  });

  it("opens with all acknowledged writes after its process was killed", async () => {
    await db.close();
    const other = openInProcess(
      { dataDir },
      `await db.query({ text: "insert into note (word) values ('killed')" });
      console.log("acknowledged"); process.kill(process.pid, "SIGKILL")`,
    );
    expect(await other.output).to.match(/acknowledged/);
    db = await open();
    expect(await db.query({ text: "select word from note where word = 'killed'" })).to.have.length(1);
  });

  it("does not block the event loop while it works", async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    await db.query({ text: "select count(*) from generate_series(1, 3000000)" });
    clearInterval(timer);
    expect(ticks).to.be.greaterThan(10);
  });

  it("never passes on an open transaction to the next caller", async () => {
    await db.connection((client) => client.query("begin; insert into note (word) values ('dropped')"));
    expect(await db.query({ text: "select word from note where word = 'dropped'" })).to.deep.equal([]);
  });

  it("reopens after COPY through the driver has broken it", async () => {
    expect(await catchFailure(db.query({ text: "copy note from stdin" }))).to.be.instanceOf(UnavailableError);
    expect(await db.query({ text: "select 1 as one" })).to.deep.equal([{ one: 1 }]);
    expect(warnings).to.include("The embedded database ended and is opened again");
  });

  it("keeps the write-ahead log short under sustained writes", async () => {
    const text = "insert into note (word) select repeat(md5(i::text), 20) from generate_series(1, 20000) i";
    for (let round = 0; round < 10; round += 1) await db.query({ text });
    const [wal] = await db.query<{ mb: number }>({
      text: "select sum(size)::int8 / 1000000 as mb from pg_ls_waldir()",
    });
    expect(wal?.mb).to.be.lessThan(130);
  });

  it("refuses a directory of another major version before opening it", async () => {
    await db.close();
    const version = join(dataDir, "database", "PG_VERSION");
    const written = readFileSync(version);
    writeFileSync(version, "17\n");
    const error = await catchFailure(open());
    writeFileSync(version, written);
    db = await open();
    expect(error.message).to.match(/holds a database of version 17, this release needs 18/);
  });
});

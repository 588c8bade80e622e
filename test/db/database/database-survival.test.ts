import { expect } from "chai";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { type Database, openDatabase } from "../../../db/open.ts";
import { catchFailure } from "../../support/db/database.ts";
import {
  describeOnPostgres,
  findPostgresPrograms,
  type PostgresCluster,
  startOwnCluster,
} from "../../support/db/postgres.ts";

/** Uses a separate PostgreSQL cluster, because the test crashes the cluster. */
describeOnPostgres("a crash of PostgreSQL", () => {
  let cluster: PostgresCluster;
  let db: Database;

  before(async function () {
    if (!findPostgresPrograms()) this.skip();
    cluster = await startOwnCluster();
    db = await openDatabase({ url: cluster.url, dataDir: "unused", poolSize: 4 });
  });
  after(async () => {
    await db?.close();
    cluster?.remove();
  });

  it("fails work in flight as unavailable, in and outside of transactions, and the process survives", async () => {
    const inFlight = [
      catchFailure(db.query({ text: "select pg_sleep(30)" })),
      catchFailure(db.transaction((trx) => trx.query({ text: "select pg_sleep(30)" }))),
      catchFailure(db.connection((client) => client.query("select pg_sleep(30)"))),
      catchFailure(db.transaction(() => new Promise((resume) => setTimeout(resume, 3_000)))),
    ];
    await new Promise((resume) => setTimeout(resume, 200));
    cluster.crash();
    for (const error of await Promise.all(inFlight)) expect(error).to.be.instanceOf(UnavailableError);
  });

  it("makes pings false and queries unavailable until the restart", async () => {
    expect(await db.ping()).to.equal(false);
    expect(await catchFailure(db.query({ text: "select 1" }))).to.be.instanceOf(UnavailableError);
    db.wake.publish("nobody hears this");
  });

  it("has no effect on connections and wakes after the restart", async () => {
    cluster.start();
    expect(await db.query({ text: "select 1 as one" })).to.deep.equal([{ one: 1 }]);
    expect(await db.ping()).to.equal(true);
    const other = await openDatabase({ url: cluster.url, dataDir: "unused", poolSize: 2 });
    const heard = new Promise((resolve) => db.wake.subscribe(resolve));
    const timer = setInterval(() => other.wake.publish("back"), 100);
    expect(await heard).to.equal("back");
    clearInterval(timer);
    await other.close();
  });
});

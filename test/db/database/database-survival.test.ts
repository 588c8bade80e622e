import { expect } from "chai";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import { type Database, openDatabase } from "../../../db/open.ts";
import { failure } from "../../support/db/database.ts";
import { type Cluster, describeOnPostgres, findPrograms, ownCluster } from "../../support/db/postgres.ts";

/** On a cluster of its own, which it crashes. */
describeOnPostgres("PostgreSQL's death", function () {
  this.timeout(60_000);
  let cluster: Cluster;
  let db: Database;

  before(async function () {
    if (!findPrograms()) this.skip();
    cluster = await ownCluster();
    db = await openDatabase({ url: cluster.url, dataDir: "unused", poolSize: 4 });
  });
  after(async () => {
    await db?.close();
    cluster?.remove();
  });

  it("fails what is in flight as unavailable, in and out of transactions, and the process lives", async () => {
    const inFlight = [
      failure(db.query({ text: "select pg_sleep(30)" })),
      failure(db.transaction((trx) => trx.query({ text: "select pg_sleep(30)" }))),
      failure(db.connection((client) => client.query("select pg_sleep(30)"))),
      failure(db.transaction(() => new Promise((resume) => setTimeout(resume, 3_000)))),
    ];
    await new Promise((resume) => setTimeout(resume, 200));
    cluster.crash();
    for (const error of await Promise.all(inFlight)) expect(error).to.be.instanceOf(Unavailable);
  });

  it("answers pings with false and queries with unavailable meanwhile", async () => {
    expect(await db.ping()).to.equal(false);
    expect(await failure(db.query({ text: "select 1" }))).to.be.instanceOf(Unavailable);
    db.wake.publish("nobody hears this");
  });

  it("is over for every connection and for wake once it is back", async () => {
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

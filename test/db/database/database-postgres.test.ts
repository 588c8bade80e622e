import { AsyncResource } from "node:async_hooks";
import { expect } from "chai";
import { DatabaseOpenError } from "../../../db/errors/cannot-open.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import { type Database, openDatabase } from "../../../db/open.ts";
import { catchFailure, openInProcess } from "../../support/db/database.ts";
import { createDatabase, describeOnPostgres } from "../../support/db/postgres.ts";

const open = (url: string, poolSize = 4) => openDatabase({ url, dataDir: "unused", poolSize });
const soon = (milliseconds: number) => new Promise((resume) => setTimeout(resume, milliseconds));

/** Polls until `holds` resolves to true. The timeout of mocha is the only limit. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await soon(50);
}

describeOnPostgres("the database on PostgreSQL", () => {
  let made: Awaited<ReturnType<typeof createDatabase>>;
  let db: Database;

  before(async () => {
    made = await createDatabase();
    db = await open(made.url);
    await db.query({ text: "create table pair (id integer primary key, n integer)" });
    await db.query({ text: "insert into pair values (1, 0), (2, 0)" });
  });
  after(async () => {
    await db.close();
    await made.drop();
  });

  it("makes PostgreSQL end the work of an unreachable server (TCP keepalives)", async () => {
    const text = `select name, setting from pg_settings where name ~ '^tcp_keepalives_' order by name`;
    expect(await db.query({ text })).to.deep.equal([
      { name: "tcp_keepalives_count", setting: "4" },
      { name: "tcp_keepalives_idle", setting: "5" },
      { name: "tcp_keepalives_interval", setting: "1" },
    ]);
  });

  it("cancels a statement after its deadline", async () => {
    await catchFailure(db.query({ text: "select pg_sleep(60) as cancelled" }, AbortSignal.timeout(50)));
    const text = `select 1 from pg_stat_activity where state = 'active' and query like '%as cancelled' and pid <> pg_backend_pid()`;
    await eventually(async () => (await db.query({ text })).length === 0);
  });

  it("completes both transactions after a deadlock", async () => {
    const raise = (first: number, second: number) =>
      db.transaction(async (trx) => {
        await trx.query({ text: "update pair set n = n + 1 where id = $1", values: [first] });
        await soon(100);
        await trx.query({ text: "update pair set n = n + 1 where id = $1", values: [second] });
      });
    await Promise.all([raise(1, 2), raise(2, 1)]);
    expect(await db.query({ text: "select n from pair" })).to.deep.equal([{ n: 2 }, { n: 2 }]);
  });

  it('stops waiting for a lock after 2 s with "unavailable"', async () => {
    const lock = { text: "select from pair where id = 1 for update" };
    const wait = AsyncResource.bind(() => catchFailure(db.transaction((trx) => trx.query(lock))));
    const error = await db.transaction(async (trx) => {
      await trx.query(lock);
      return wait();
    });
    expect(error).to.be.instanceOf(UnavailableError);
  });

  it("replaces a connection that was ended from outside", async () => {
    await db.query({
      text: "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    });
    // A query may take any connection of the pool, and each connection may notice late that the server ended the
    // connection.
    await eventually(async () => (await db.query({ text: "select 1" }).catch(() => [])).length === 1);
    await eventually(() => db.ping());
  });

  it("names the variable of an unreachable server, without the password", async () => {
    const error = await catchFailure(open("postgres://trackway:hush@127.0.0.1:1/trackway?password=hush"));
    expect(error).to.be.instanceOf(DatabaseOpenError);
    expect(error.message).to.match(
      /^DATABASE_URL: PostgreSQL does not serve postgres:\/\/trackway@127.0.0.1:1\/trackway/,
    );
    expect(error.message).not.to.match(/hush|\n/);
  });

  it("sends a wake to another process, and not twice to the sender", async () => {
    const other = openInProcess(
      { url: made.url },
      `db.wake.subscribe((id) => { console.log("heard", id); db.wake.publish("back"); });
      await new Promise((resume) => setTimeout(resume, 30_000));`,
    );
    await other.opened;
    const heard: string[] = [];
    db.wake.subscribe((id) => heard.push(id));
    await eventually(async () => {
      db.wake.publish("there");
      return heard.includes("back");
    });
    other.kill();
    expect(await other.output).to.match(/heard there/);
  });

  it("runs wake listeners outside the context of the publisher", async () => {
    const heard = new Promise((resolve) => {
      db.wake.subscribe(() => void db.query({ text: "select 1 as one" }).then(resolve));
    });
    await db.transaction(async () => {
      db.wake.publish("organization");
      expect(await heard).to.deep.equal([{ one: 1 }]);
    });
  });
});

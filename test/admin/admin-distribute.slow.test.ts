import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { openDatabase } from "../../db/open.ts";
import { citus, citusDatabase, distribute, dropCitusDatabase } from "../support/db/citus.ts";
import { failure } from "../support/db/database.ts";
import { describeOnPostgres, freshDatabase, runSql } from "../support/db/postgres.ts";
import { call, freshOrganization, startServer } from "../support/server.ts";

const FOUND = `select c.relname as name, p.partmethod as method, p.colocationid as together
  from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
 where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String(Reflect.get(Object(error), "stderr"));
  }
  throw new Error("it did not fail");
};

describeOnPostgres("npm run admin -- distribute, without Citus", () => {
  it("says that Citus is not there, and changes nothing", async () => {
    const { url, drop } = await freshDatabase();
    expect(messageOf(() => distribute(url, "--apply"))).to.include("create extension citus");
    expect(await runSql(url, "select 1 from pg_class where relname = 'issue'")).to.deep.equal([]);
    await drop();
  });
});

(citus ? describe : describe.skip)("npm run admin -- distribute, on Citus", function () {
  this.timeout(120_000);
  const made: string[] = [];
  const database = async (): Promise<string> => {
    made.push(await citusDatabase(`distribute_${randomUUID().slice(0, 8)}`));
    return String(made.at(-1));
  };

  // Each database of a Citus has daemons that ask every node every other second.
  after(async () => {
    for (const url of made) await dropCitusDatabase(url);
  });

  it("changes nothing until it is told to, and does nothing twice", async () => {
    const url = await database();
    expect(distribute(url)).to.include("Nothing was changed");
    expect((await runSql(url, FOUND)).filter(({ method }) => method)).to.deep.equal([]);
    expect(distribute(url, "--apply")).to.match(/Done, in \d+ statements/);
    expect(distribute(url, "--apply")).to.include("where they belong");
  });

  it("keeps what a filled database holds, and all rows of an organization together", async () => {
    const url = await database();
    const app = await startServer({ DATABASE_URL: url });
    const { ingestKey, organizationId } = await freshOrganization(app);
    const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "a", args: "", result: "" };
    const post = { body: event, headers: { "x-api-key": ingestKey } };
    expect((await call(app.url, "POST", "/api/v1/capture-event", post)).status).to.equal(200);
    expect(messageOf(() => distribute(url, "--apply"))).to.include("stop the servers first");
    await app.close();
    distribute(url, "--apply");
    const tables = await runSql(url, FOUND);
    const spread = tables.filter(({ method }) => method === "h");
    expect(spread.map(({ name }) => name)).to.include.members(["issue", "recorded_event", "delivery", "sync"]);
    expect(new Set(spread.map(({ together }) => together)).size).to.equal(1);
    const again = await startServer({ DATABASE_URL: url });
    expect((await call(again.url, "POST", "/api/v1/capture-event", post)).status).to.equal(200);
    expect(
      await runSql(url, `select count(*)::int as n from recorded_event where organization_id = '${organizationId}'`),
    ).to.deep.equal([{ n: 1 }]);
  });

  it("is asked for again by a server that meets a table which is not distributed yet", async () => {
    const url = await database();
    distribute(url, "--apply");
    await runSql(url, 'create table later ("organizationId" uuid, id uuid, primary key ("organizationId", id))');
    const options = { url, dataDir: "unused", poolSize: 2 };
    const refused = await failure(openDatabase(options));
    expect(refused.message).to.include("(later)").and.to.include("npm run admin -- distribute --apply");
    distribute(url, "--apply");
    await (await openDatabase(options)).close();
  });

  it("leaves a transaction that travels as one packet whole or not at all", async () => {
    const url = await database();
    distribute(url, "--apply");
    const db = await openDatabase({ url, dataDir: "unused", poolSize: 2 });
    const id = randomUUID();
    const insert = `insert into organization (id, name, "urlKey", "createdAt", "updatedAt") values ('${id}', 'a', '${id}', now(), now())`;
    const failed = await failure(
      db.transaction((trx) => Promise.all([trx.query({ text: insert }), trx.query({ text: "select 1 / 0" })])),
    );
    expect(failed.message).to.include("division by zero");
    const client = new pg.Client(url);
    await client.connect();
    expect((await client.query("select 1 from organization where id = $1", [id])).rows).to.deep.equal([]);
    await client.end();
    await db.close();
  });
});

import { randomUUID } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { openDatabase } from "../../db/open.ts";
import { citusUrl, createCitusDatabase, dropCitusDatabase, runDistribute } from "../support/db/citus.ts";
import { catchFailure } from "../support/db/database.ts";
import { createDatabase, describeOnPostgres, runSql } from "../support/db/postgres.ts";
import { callRestApi, createOrganization, startServer } from "../support/server.ts";

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
  it("reports that Citus is missing, and changes nothing", async () => {
    const { url, drop } = await createDatabase();
    expect(messageOf(() => runDistribute(url, "--apply"))).to.include("create extension citus");
    expect(await runSql(url, "select 1 from pg_class where relname = 'issue'")).to.deep.equal([]);
    await drop();
  });
});

(citusUrl ? describe : describe.skip)("npm run admin -- distribute, on Citus", () => {
  const made: string[] = [];
  const database = async (): Promise<string> => {
    made.push(await createCitusDatabase(`distribute_${randomUUID().slice(0, 8)}`));
    return String(made.at(-1));
  };

  // Each database of Citus has daemons that query every node every two seconds.
  after(async () => {
    for (const url of made) await dropCitusDatabase(url);
  });

  it("changes nothing without --apply, and does nothing the second time", async () => {
    const url = await database();
    expect(runDistribute(url)).to.include("Nothing was changed");
    expect((await runSql(url, FOUND)).filter(({ method }) => method)).to.deep.equal([]);
    expect(runDistribute(url, "--apply")).to.match(/Done, in \d+ statements/);
    expect(runDistribute(url, "--apply")).to.include("on the correct nodes");
  });

  it("keeps the rows of a filled database, and puts all rows of an organization on one node", async () => {
    const url = await database();
    const app = await startServer({ DATABASE_URL: url });
    const { ingestKey, organizationId } = await createOrganization(app);
    const event = { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "a", args: "", result: "" };
    const post = { body: event, headers: { "x-api-key": ingestKey } };
    expect((await callRestApi(app.url, "POST", "/api/v1/capture-event", post)).status).to.equal(200);
    expect(messageOf(() => runDistribute(url, "--apply"))).to.include("stop the servers first");
    await app.close();
    runDistribute(url, "--apply");
    const tables = await runSql(url, FOUND);
    const spread = tables.filter(({ method }) => method === "h");
    expect(spread.map(({ name }) => name)).to.include.members(["issue", "recorded_event", "delivery", "sync"]);
    expect(new Set(spread.map(({ together }) => together)).size).to.equal(1);
    const again = await startServer({ DATABASE_URL: url });
    expect((await callRestApi(again.url, "POST", "/api/v1/capture-event", post)).status).to.equal(200);
    expect(
      await runSql(url, `select count(*)::int as n from recorded_event where organization_id = '${organizationId}'`),
    ).to.deep.equal([{ n: 1 }]);
  });

  it("is required by a server that finds a table which is not distributed yet", async () => {
    const url = await database();
    runDistribute(url, "--apply");
    await runSql(url, 'create table later ("organizationId" uuid, id uuid, primary key ("organizationId", id))');
    const options = { url, dataDir: "unused", poolSize: 2 };
    const refused = await catchFailure(openDatabase(options));
    expect(refused.message).to.include("(later)").and.to.include("npm run admin -- distribute --apply");
    runDistribute(url, "--apply");
    await (await openDatabase(options)).close();
  });

  it("keeps a transaction in one packet atomic", async () => {
    const url = await database();
    runDistribute(url, "--apply");
    const db = await openDatabase({ url, dataDir: "unused", poolSize: 2 });
    const id = randomUUID();
    const insert = `insert into organization (id, name, "urlKey", "createdAt", "updatedAt") values ('${id}', 'a', '${id}', now(), now())`;
    const failed = await catchFailure(
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

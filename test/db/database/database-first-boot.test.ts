import { expect } from "chai";
import { buildMigrationName, migrations } from "../../../db/migrations/index.ts";
import { openDatabase } from "../../../db/open.ts";
import { openInProcess } from "../../support/db/database.ts";
import { createDatabase, describeOnPostgres, runSql } from "../../support/db/postgres.ts";

describeOnPostgres("the first boot on an empty PostgreSQL", () => {
  let made: Awaited<ReturnType<typeof createDatabase>>;

  beforeEach(async () => {
    made = await createDatabase();
  });
  afterEach(() => made.drop());

  const recorded = async () =>
    (await runSql(made.url, "select name as id from knex_migrations order by id")).map(({ id }) => id);
  const all = migrations.map(buildMigrationName);

  it("succeeds in 8 processes at once", async () => {
    const outputs = await Promise.all(Array.from({ length: 8 }, () => openInProcess({ url: made.url }).output));
    expect(outputs).to.deep.equal(Array(8).fill("open\nclosed\n"));
    expect(await recorded()).to.deep.equal(all);
  });

  it("recovers without intervention after kills during migrations", async () => {
    for (const statements of [1, 5, 20, 40]) {
      const booting = openInProcess({ url: made.url });
      const tables = "select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace";
      while (Number((await runSql(made.url, tables))[0]?.["n"]) < statements);
      booting.kill();
      await booting.output;
    }
    await (await openDatabase({ url: made.url, dataDir: "unused", poolSize: 2 })).close();
    expect(await recorded()).to.deep.equal(all);
  });
});

import { expect } from "chai";
import { migrations } from "../db/migrations/index.ts";
import { openDatabase } from "../db/open.ts";
import { openElsewhere, openTestDatabase } from "./support/database.ts";
import { describeOnPostgres, freshDatabase, runSql } from "./support/postgres.ts";

const IDS = migrations.map(({ id }) => id);
const RECORDED = "select name from knex_migrations order by id";
/** What release 0.1.0 left behind: its own list, and nothing of knex. */
const TO_OLD_FORM = [
  "create table migration (id text primary key, at timestamptz(3) not null)",
  "insert into migration select name, migration_time from knex_migrations",
  "drop table knex_migrations, knex_migrations_lock",
];

describeOnPostgres("migrating PostgreSQL", function () {
  this.timeout(120_000);
  let made: Awaited<ReturnType<typeof freshDatabase>>;

  beforeEach(async () => {
    made = await freshDatabase();
  });
  afterEach(() => made.drop());

  const open = () => openDatabase({ url: made.url, dataDir: "unused", poolSize: 2 });
  const openAndClose = async () => (await open()).close();
  const recorded = async () => (await runSql(made.url, RECORDED)).map(({ name }) => name);

  it("records each migration once when 20 migrators meet an empty database", async () => {
    await Promise.all(Array.from({ length: 20 }, openAndClose));
    expect(await recorded()).to.deep.equal(IDS);
  });

  it("goes on after a process was killed while it held knex's own lock", async () => {
    const [first = ""] = IDS;
    await openAndClose();
    await runSql(made.url, "update knex_migrations_lock set is_locked = 1");
    await runSql(made.url, `delete from knex_migrations where name <> '${first}'`);
    await openAndClose();
    expect(await recorded()).to.deep.equal(IDS);
    expect(await runSql(made.url, "select is_locked from knex_migrations_lock")).to.deep.equal([{ is_locked: 0 }]);
  });

  it("takes over the list of a database of 0.1.0 and runs what is new", async () => {
    await openAndClose();
    for (const statement of TO_OLD_FORM) await runSql(made.url, statement);
    await runSql(made.url, "delete from migration where id >= '0007'; drop index comment_resolving");
    const { output } = openElsewhere({ url: made.url }, "console.log(await db.ping())");
    expect(await output).to.equal("open\ntrue\nclosed\n");
    expect(await recorded()).to.deep.equal(IDS);
    const batches = await runSql(made.url, "select distinct batch from knex_migrations order by batch");
    expect(batches).to.deep.equal([{ batch: 1 }, { batch: 2 }]);
    expect(
      await runSql(made.url, "select 1 as found from pg_indexes where indexname = 'comment_resolving'"),
    ).to.have.length(1);
  });

  it("leaves the list of 0.1.0 to its servers, which may still run", async () => {
    await openAndClose();
    for (const statement of TO_OLD_FORM) await runSql(made.url, statement);
    await openAndClose();
    await openAndClose();
    const probe = "update migration set at = at where id = '0001-accounts' returning id";
    expect(await runSql(made.url, probe)).to.have.length(1);
    expect(await recorded()).to.deep.equal(IDS);
  });
});

describe("migrations", () => {
  it("are recorded by knex, once, and in their order", async () => {
    const db = await openTestDatabase();
    expect((await db.query<{ name: string }>({ text: RECORDED })).map(({ name }) => name)).to.deep.equal(IDS);
    await db.close();
  });
});

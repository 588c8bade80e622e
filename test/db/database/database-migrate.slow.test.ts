import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { DatabaseOpenError } from "../../../db/errors/cannot-open.ts";
import { buildMigrationName, migrations } from "../../../db/migrations/index.ts";
import { openDatabase } from "../../../db/open.ts";
import { openTestDatabase } from "../../support/db/database.ts";
import { copyEmptyDatabase } from "../../support/db/empty-database.ts";
import { createDatabase, describeOnPostgres, runSql } from "../../support/db/postgres.ts";

const IDS = migrations.map(buildMigrationName);
const RECORDED = "select name from knex_migrations order by id";
describeOnPostgres("migrating PostgreSQL", () => {
  let made: Awaited<ReturnType<typeof createDatabase>>;

  beforeEach(async () => {
    made = await createDatabase();
  });
  afterEach(() => made.drop());

  const open = () => openDatabase({ url: made.url, dataDir: "unused", poolSize: 2 });
  const openAndClose = async () => (await open()).close();
  const recorded = async () => (await runSql(made.url, RECORDED)).map(({ name }) => name);

  it("records each migration once when 20 processes migrate an empty database", async () => {
    await Promise.all(Array.from({ length: 20 }, openAndClose));
    expect(await recorded()).to.deep.equal(IDS);
  });

  it("continues after a process was killed while holding knex's lock", async () => {
    const [first = ""] = IDS;
    await openAndClose();
    await runSql(made.url, "update knex_migrations_lock set is_locked = 1");
    await runSql(made.url, `delete from knex_migrations where name <> '${first}'`);
    await openAndClose();
    expect(await recorded()).to.deep.equal(IDS);
    expect(await runSql(made.url, "select is_locked from knex_migrations_lock")).to.deep.equal([{ is_locked: 0 }]);
  });
});

describe("a database of another build", () => {
  /** Opens a database after a statement changed the recorded migrations. Returns the reason for the refusal. */
  const opened = async (sql: string, name: string): Promise<string | undefined> => {
    const made = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const dataDir = await mkdtemp(join(tmpdir(), "trackway-migrate-"));
    if (!made) copyEmptyDatabase(dataDir);
    const open = () => openDatabase({ url: made?.url, dataDir, poolSize: 2 });
    const db = await open();
    await db.query({ text: sql, values: [name] });
    await db.close();
    const failure = await open().then(
      (opened) => opened.close(),
      (error: unknown) => error,
    );
    await made?.drop();
    if (failure === undefined) return undefined;
    return failure instanceof DatabaseOpenError ? failure.message : String(failure);
  };
  const refusal = (name: string) => opened("update knex_migrations set name = $1 where id = 1", name);

  it("is refused with a way to convert it if that build was not released", async () => {
    const [of, changed] = [await refusal("0001-accounts"), await refusal("0101-accounts-00000000")];
    expect(of).to.match(/^the database is of an unreleased build: npm run backup .* npm run restore [^\n]*$/);
    expect(changed).to.equal(of);
  });

  it("opens if its release is newer, so that the previous release can run beside it", async () => {
    const sql = "insert into knex_migrations (name, batch, migration_time) values ($1, 2, now())";
    expect(await opened(sql, "0999-more-00000000")).to.equal(undefined);
  });
});

describe("migrations", () => {
  it("are recorded by knex once, in order", async () => {
    const db = await openTestDatabase();
    expect((await db.query<{ name: string }>({ text: RECORDED })).map(({ name }) => name)).to.deep.equal(IDS);
    await db.close();
  });
});

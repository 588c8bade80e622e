import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { CannotOpen } from "../../../db/errors/cannot-open.ts";
import { migrations, nameOf } from "../../../db/migrations/index.ts";
import { openDatabase } from "../../../db/open.ts";
import { openTestDatabase } from "../../support/db/database.ts";
import { copyEmptyDatabase } from "../../support/db/empty-database.ts";
import { describeOnPostgres, freshDatabase, runSql } from "../../support/db/postgres.ts";

const IDS = migrations.map(nameOf);
const RECORDED = "select name from knex_migrations order by id";
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
});

describe("a database of another build", () => {
  /** Opens a database whose recorded migrations were changed by a statement. Answers why it was refused. */
  const opened = async (sql: string, name: string): Promise<string | undefined> => {
    const made = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
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
    return failure instanceof CannotOpen ? failure.message : String(failure);
  };
  const refusal = (name: string) => opened("update knex_migrations set name = $1 where id = 1", name);

  it("is refused with the way to move it when its build was not released", async () => {
    const [of, changed] = [await refusal("0001-accounts"), await refusal("0101-accounts-00000000")];
    expect(of).to.match(/^the database is of an unreleased build: npm run backup .* npm run restore [^\n]*$/);
    expect(changed).to.equal(of);
  });

  it("is opened when its release is newer: the release before runs beside it", async () => {
    const sql = "insert into knex_migrations (name, batch, migration_time) values ($1, 2, now())";
    expect(await opened(sql, "0999-more-00000000")).to.equal(undefined);
  });
});

describe("migrations", () => {
  it("are recorded by knex, once, and in their order", async () => {
    const db = await openTestDatabase();
    expect((await db.query<{ name: string }>({ text: RECORDED })).map(({ name }) => name)).to.deep.equal(IDS);
    await db.close();
  });
});

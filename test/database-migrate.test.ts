import { expect } from "chai";
import { migrations } from "../db/migrations/index.ts";
import { openDatabase } from "../db/open.ts";
import { countOldSessions } from "../server/jobs/totals/recount.ts";
import { openElsewhere, openTestDatabase } from "./support/database.ts";
import { describeOnPostgres, freshDatabase, runSql } from "./support/postgres.ts";

const IDS = migrations.map(({ id }) => id);
const RECORDED = "select name from knex_migrations order by id";
/** The state that release 0.1.0 left: its own list, and nothing of knex. */
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

describeOnPostgres("a database from before connectors", function () {
  this.timeout(60_000);

  it("keeps what was recorded, writes no table anew, and has its sessions counted by a job", async () => {
    const { url, drop } = await freshDatabase();
    const open = () => openDatabase({ url, dataDir: "unused", poolSize: 2 });
    await (await open()).close();
    const added = (table: string, columns: string) => runSql(url, `alter table ${table} ${columns}`);
    const names = [
      "model",
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "cache_write_tokens",
      "cost",
      "observed",
    ];
    const dropped = (all: string[]) => all.map((name) => `drop column ${name}`).join(", ");
    await added("recorded_event", dropped([...names, "kind", "open", "error_message"]));
    await added(
      "recorded_session",
      dropped([
        "external_id",
        "source",
        "observed",
        "events",
        "failures",
        "turns",
        "tool_calls",
        "models",
        ...names.slice(1, 6),
      ]),
    );
    await runSql(url, "delete from knex_migrations where name = '0008-observations'");
    const id = "00000000-0000-4000-8000-000000000001";
    await runSql(
      url,
      `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered, received_at,
         last_received_at) values ('${id}', '${id}', '{}', now(), false, false, now(), now());
       insert into recorded_event (organization_id, event_id, session_id, parent_id, timestamp, received_at, timestamp_sent,
         success, primitive_name, args, result)
         select '${id}', gen_random_uuid(), '${id}', case when n > 1 then '${id}'::uuid end, now(), now(), false, n < 3, 'a', '', ''
         from generate_series(1, 3) n`,
    );
    const files =
      "select relname, relfilenode from pg_class where relname in ('recorded_event', 'recorded_session') order by 1";
    const before = await runSql(url, files);
    const db = await open();
    expect(await runSql(url, files)).to.deep.equal(before);
    const kept = "select events::int, failures::int, turns::int, tool_calls::int from recorded_session";
    expect(await runSql(url, kept)).to.deep.equal([{ events: null, failures: null, turns: null, tool_calls: null }]);
    await countOldSessions(db);
    expect(await runSql(url, kept)).to.deep.equal([{ events: 3, failures: 1, turns: 1, tool_calls: 2 }]);
    await db.close();
    await drop();
  });
});

describe("migrations", () => {
  it("are recorded by knex, once, and in their order", async () => {
    const db = await openTestDatabase();
    expect((await db.query<{ name: string }>({ text: RECORDED })).map(({ name }) => name)).to.deep.equal(IDS);
    await db.close();
  });
});

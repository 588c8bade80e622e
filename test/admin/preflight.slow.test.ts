import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import pg from "pg";
import { migrations } from "../../db/migrations/index.ts";
import { openDatabase } from "../../db/open.ts";
import type { PreflightFinding } from "../../server/admin/preflight/finding.ts";
import { estimateSeconds } from "../../server/admin/preflight/migrations.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { createDatabase, describeOnPostgres, runSql } from "../support/db/postgres.ts";
import { startServer } from "../support/server.ts";

const JWT_SECRET = "a secret of the tests, long enough to be one";

/** Runs the command as an operator does. Returns the findings by check, and the exit code. */
async function preflight(env: Record<string, string>, ...args: string[]) {
  const command = ["dist/server/admin/admin.js", "preflight", "--json", ...args];
  const clean = { PATH: process.env["PATH"], JWT_SECRET, ...env };
  const ran = await promisify(execFile)(process.execPath, command, { env: clean }).then(
    ({ stdout }) => ({ stdout, code: 0 }),
    ({ stdout, code }) => ({ stdout, code }),
  );
  const { ok, findings } = JSON.parse(ran.stdout) as { ok: boolean; findings: PreflightFinding[] };
  expect(ran.code).to.equal(ok ? 0 : 1);
  return { ok, of: Object.fromEntries(findings.map(({ check, ...found }) => [check, found])) };
}

const folder = () => mkdtempSync(join(tmpdir(), "trackway-preflight-"));

describe("preflight of the embedded database", () => {
  if (process.env["TEST_DATABASE_URL"]) return;

  /** Creates a folder with a database without faults. */
  async function database(): Promise<string> {
    const DATA_DIR = folder();
    copyEmptyDatabase(DATA_DIR);
    const db = await openDatabase({ dataDir: DATA_DIR, poolSize: 1 });
    await db.close();
    return DATA_DIR;
  }

  it("reports no fault for a first start, and creates nothing", async () => {
    const DATA_DIR = join(folder(), "new");
    expect((await preflight({ DATA_DIR })).ok).to.equal(true);
    expect(readdirSync(join(DATA_DIR, ".."))).to.deep.equal([]);
  });

  it("reports no fault for a database of this build", async () => {
    const { ok, of } = await preflight({ DATA_DIR: await database() });
    expect(ok).to.equal(true);
    expect(of["migrations"]).to.deep.equal({ state: "ok", text: "none is pending" });
    expect(Object.keys(of)).to.include.members(["data directory", "version", "free space", "encoding", "extensions"]);
  });

  it("names the process that has the database open, and defers the other checks", async () => {
    const DATA_DIR = await database();
    const app = await startServer({ DATA_DIR });
    const { of } = await preflight({ DATA_DIR });
    expect(of["database"]).to.include({ state: "warning" });
    expect(of["database"]?.text).to.include(`process ${process.pid} already uses`);
    await app.close();
  });

  it("fails when the folder, the secret, the version or the content is invalid", async () => {
    const file = join(folder(), "a-file");
    writeFileSync(file, "");
    expect((await preflight({ DATA_DIR: file })).of["data directory"]).to.include({ state: "failed" });
    expect((await preflight({ DATA_DIR: join("/proc", "nowhere") })).of["data directory"]?.state).to.equal("failed");
    const open = folder();
    chmodSync(open, 0o755);
    expect((await preflight({ DATA_DIR: open })).of["data directory"]).to.include({ state: "warning" });
    for (const [text, mode] of [
      ["short", 0o600],
      ["x".repeat(64), 0o644],
    ] as const) {
      const DATA_DIR = folder();
      writeFileSync(join(DATA_DIR, "jwt-secret"), text, { mode });
      expect((await preflight({ DATA_DIR })).of["secret"], text).to.include({ state: "failed" });
    }
    const old = folder();
    mkdirSync(join(old, "database"));
    writeFileSync(join(old, "database", "PG_VERSION"), "15\n");
    expect((await preflight({ DATA_DIR: old })).of["version"]?.text).to.include("15");
    const broken = folder();
    mkdirSync(join(broken, "database"));
    writeFileSync(join(broken, "database", "PG_VERSION"), "18\n");
    expect((await preflight({ DATA_DIR: broken })).of["database"]).to.include({ state: "failed" });
  });

  it("fails on the database of another unreleased build", async () => {
    const DATA_DIR = await database();
    const db = await openDatabase({ dataDir: DATA_DIR, poolSize: 1 });
    await db.query({ text: "insert into knex_migrations (name, batch) values ('0101-accounts-00000000', 1)" });
    await db.close();
    expect((await preflight({ DATA_DIR })).of["migrations"]?.text).to.include("unreleased build");
  });

  it("fails when the disk has too little space", async function () {
    if (process.getuid?.() !== 0) this.skip();
    const DATA_DIR = folder();
    const run = promisify(execFile);
    await run("mount", ["-t", "tmpfs", "-o", "size=16m,mode=700", "tmpfs", DATA_DIR]).catch(() => this.skip());
    try {
      expect((await preflight({ DATA_DIR })).of["free space"]).to.include({ state: "failed" });
    } finally {
      await run("umount", [DATA_DIR]);
    }
  });
});

describe("preflight's estimate of migration time", () => {
  const sizes = [{ name: "issue", rows: 3_000_000, indexes: ["issue_there"] }];
  const seconds = (...statements: string[]) => estimateSeconds([{ id: "0201-next", statements }], sizes);

  it("depends on the rows of the tables in slow statements", () => {
    expect(seconds(`create index if not exists issue_new on "issue" ("title")`)).to.equal(20);
    expect(seconds(`create unique index concurrently issue_new on issue (title)`)).to.equal(20);
    expect(seconds(`update issue set title = ''`)).to.equal(150);
    expect(seconds(`alter table "issue" alter column title set not null`, "update issue set a = 1")).to.equal(156);
  });

  it("is zero for fast statements and for existing objects", () => {
    expect(seconds(`create index if not exists issue_there on "issue" ("title")`)).to.equal(0);
    expect(seconds(`alter table "issue" add column more text`, "create table more (id uuid)")).to.equal(0);
    expect(estimateSeconds(migrations, [])).to.equal(0);
  });
});

describeOnPostgres("preflight of PostgreSQL", () => {
  let fresh: Awaited<ReturnType<typeof createDatabase>>;
  const check = (env = {}, ...args: string[]) => preflight({ DATABASE_URL: fresh.url, ...env }, ...args);
  const name = () => new URL(fresh.url).pathname.slice(1);

  before(async () => {
    fresh = await createDatabase();
  });
  after(() => fresh.drop());

  it("reports no fault for an empty database, and creates nothing in it", async () => {
    const { ok, of } = await check();
    expect(ok, JSON.stringify(of)).to.equal(true);
    expect(of["migrations"]?.text).to.include("empty");
    expect(await runSql(fresh.url, "select 1 from pg_tables where schemaname = 'public'")).to.deep.equal([]);
  });

  it("lists pending migrations with their duration, and refuses another product's database", async () => {
    await (await openDatabase({ url: fresh.url, dataDir: "", poolSize: 1 })).close();
    expect((await check()).of["migrations"]?.text).to.equal("none is pending");
    await runSql(fresh.url, "delete from knex_migrations where name like '0110%'");
    expect((await check()).of["migrations"]?.text).to.match(/^1 pending \(0110-integrations\), about 0 s/);
    await runSql(fresh.url, "insert into knex_migrations (name, batch) values ('0101-accounts-00000000', 1)");
    expect((await check()).of["migrations"]).to.include({ state: "failed" });
    await runSql(fresh.url, "delete from knex_migrations where name = '0101-accounts-00000000'");
  });

  it("fails when the server does not respond or has too few connections", async () => {
    const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none";
    expect((await check({ DATABASE_URL })).of["database"]).to.include({ state: "failed" });
    const { of } = await check({ DATABASE_POOL: "100" }, "--servers", "90");
    expect(of["connections"]).to.include({ state: "failed" });
    expect(of["connections"]?.text).to.include("90 servers × (100 + 3) + 5 = 9275 of");
  });

  for (const [setting, value, named] of [
    ["synchronous_commit", "off", "synchronous commit"],
    ["default_transaction_read_only", "on", "writable"],
  ] as const)
    it(`fails when the database has ${setting} ${value}`, async () => {
      await runSql(fresh.url, `alter database ${name()} set ${setting} = ${value}`);
      expect((await check()).of[named]).to.include({ state: "failed" });
      await runSql(String(process.env["TEST_DATABASE_URL"]), `alter database ${name()} reset ${setting}`);
    });

  it("fails on another encoding, and on a pooler that drops the time zone", async () => {
    const latin = `latin_${name()}`;
    await runSql(fresh.url, `create database ${latin} encoding 'LATIN1' locale 'C' template template0`);
    const url = new URL(fresh.url);
    url.pathname = latin;
    expect((await check({ DATABASE_URL: url.href })).of["encoding"]).to.include({ state: "failed" });
    await runSql(fresh.url, `drop database ${latin}`);
    const { hostname, port } = new URL(fresh.url);
    const pooler = createServer((socket) => {
      const server = connect(Number(port || 5432), hostname);
      for (const end of [socket, server]) end.on("error", () => {});
      socket.once("data", (start) => {
        server.write(Buffer.from(start.toString("latin1").replace("TimeZone=UTC", "TimeZone=EST"), "latin1"));
        socket.pipe(server).pipe(socket);
      });
    }).listen(0, "127.0.0.1");
    await once(pooler, "listening");
    const away = new URL(fresh.url);
    away.host = `127.0.0.1:${(pooler.address() as { port: number }).port}`;
    const { of } = await check({ DATABASE_URL: away.href, DATABASE_DIRECT_URL: fresh.url });
    expect(of["time zone"]).to.include({ state: "ok" });
    expect(of["time zone of the pooler"]).to.include({ state: "failed" });
    pooler.close();
  });

  it("fails for a role that may not create tables or extensions", async () => {
    const role = `role_${name()}`;
    await runSql(fresh.url, `create role ${role} login connection limit 20`);
    const empty = await createDatabase();
    const url = new URL(empty.url);
    url.username = role;
    const { of } = await check({ DATABASE_URL: url.href });
    for (const named of ["rights", "extensions", "connections"])
      expect(of[named], named).to.include({ state: "failed" });
    await empty.drop();
    await runSql(fresh.url, `drop role ${role}`);
  });

  it("fails when the clocks differ", async () => {
    const shifted = encodeURIComponent("const now=Date.now;Date.now=()=>now()+600e3");
    const { of } = await check({ NODE_OPTIONS: `--import=data:text/javascript,${shifted}` });
    expect(of["clock"]).to.include({ state: "failed" });
    expect(of["clock"]?.text).to.match(/60\d s ahead of/);
  });

  it("names the transaction, lock or migration in the way, and none of another database", async () => {
    const elsewhere = await createDatabase();
    const foreign = new pg.Client(elsewhere.url);
    await foreign.connect();
    await foreign.query("select pg_advisory_lock(8390880602276094329)");
    const other = new pg.Client(fresh.url);
    other.on("error", () => {});
    await other.connect();
    await other.query("begin; lock table issue in access exclusive mode");
    expect((await check()).of["locks"]?.text).to.include("AccessExclusiveLock on issue");
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    const { of } = await check();
    expect(of["locks"]).to.include({ state: "warning" });
    expect(of["locks"]?.text).to.match(/is in a transaction for \d+ s/);
    await other.query("rollback; select pg_advisory_lock(8390880602276094329)");
    expect((await check()).of["locks"]?.text).to.include("runs migrations now");
    await other.end();
    expect((await check()).of["locks"]).to.include({ state: "ok" });
    await foreign.end();
    await elsewhere.drop();
  });
});

import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect } from "chai";
import pg from "pg";
import { openDatabase } from "../../db/open.ts";
import { readBackup } from "../../server/admin/backup/lines.ts";
import { restoreBackup } from "../../server/admin/backup/restore.ts";
import { writeBackup } from "../../server/admin/backup-file.ts";
import type { App } from "../../server/app.ts";
import { writeFileAtomically } from "../../server/whole-file.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer, type Tenant } from "../support/server.ts";

const run = promisify(execFile);

describe("backup and restore", () => {
  const postgres = process.env["TEST_DATABASE_URL"];
  const JWT_SECRET = "a secret that moves with the data it opens";
  const secret = new TextEncoder().encode(JWT_SECRET);
  const made: string[] = [];
  let folder: string;
  let source: App;
  let tenant: Tenant;
  let target: Record<string, string>;
  let first: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "trackway-backup-"));
    source = await startServer({ JWT_SECRET, ...(postgres && { DATABASE_URL: await newDatabase() }) });
    tenant = await fill(source);
    first = await backup(source);
    target = await elsewhere();
  });
  after(async () => {
    for (const name of made) await onServer(`drop database "${name}" with (force)`);
  });

  const script = (name: string, file: string, { runtime: { config } }: App) => {
    const env = { ...process.env, JWT_SECRET, DATA_DIR: config.DATA_DIR, DATABASE_URL: config.DATABASE_URL ?? "" };
    return run(process.execPath, [`dist/server/admin/${name}.js`, file], { env });
  };
  const backup = async (app: App) => {
    const file = join(folder, randomUUID());
    await script("backup", file, app);
    return file;
  };
  const elsewhere = async () => ({
    DATA_DIR: join(folder, randomUUID()),
    ...(postgres && { DATABASE_URL: await newDatabase() }),
  });
  const open = ({ DATA_DIR = "", DATABASE_URL }: Record<string, string>) =>
    openDatabase({ dataDir: DATA_DIR, url: DATABASE_URL, poolSize: 2 });
  const text = async (file: string) => gunzipSync(await readFile(file)).toString();
  /**
   * Returns the lines of a backup, without the time and without rows that jobs derive again after a restore. Sorted,
   * because engines sort texts differently.
   */
  const contents = async (file: string) => {
    const lines = (await text(file)).split("\n").slice(1);
    const kept = lines.filter((line) => !/^\{"end"|"delta_id"|"mark_id"/.test(line));
    return kept.map((line) => line.replace(/"(events|unread_from)":(\d+|null|"[^"]*")/g, "")).sort();
  };
  const onServer = async (statement: string) => {
    const client = new pg.Client({ connectionString: postgres });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const newDatabase = async () => {
    const name = `backup_${randomUUID().slice(0, 8)}`;
    await onServer(`create database "${name}"`);
    made.push(name);
    return Object.assign(new URL(String(postgres)), { pathname: `/${name}` }).href;
  };

  it("refuse a truncated file and keep nothing of it, and accept the complete file", async () => {
    const cut = join(folder, "cut");
    await writeFile(cut, gzipSync((await text(first)).split("\n").slice(0, -20).join("\n")));
    const db = await open(target);
    const failure = await restoreBackup(db, readBackup(cut), secret).catch((error: Error) => error.message);
    const restored = await restoreBackup(db, readBackup(first), secret).finally(() => db.close());
    expect(failure).to.contain("cut short");
    expect(restored).to.deep.include({ sameSecret: true }).and.to.have.property("rows").above(250);
  });

  it("restore identical contents that work: the login, the key, the issues", async () => {
    const [db, again] = [await open(target), join(folder, "again")];
    // Before a server runs on the database, because jobs would add recorded events to the totals.
    await writeFileAtomically(again, (file) => writeBackup(db, secret, file)).finally(() => db.close());
    expect(await contents(again)).to.deep.equal(await contents(first));
    const app = await startServer({ JWT_SECRET, ...target });
    const body = { email: tenant.email, password: tenant.password };
    expect((await callRestApi(app.url, "POST", "/api/auth/login", { body })).status).to.equal(200);
    const reply = await sendGraphQL(app.url, tenant.apiKey, { query: "{ teams { nodes { key } } }" });
    expect(reply.data).to.deep.equal({ teams: { nodes: [{ key: "T" }] } });
  });

  it("refuse the file of a newer release, and skip tables of an older build that this build lacks", async () => {
    const db = await open(await elsewhere());
    const lines = (await text(first)).split("\n");
    const restored = async (changed: string[]) => {
      const file = join(folder, randomUUID());
      await writeFile(file, gzipSync(changed.join("\n")));
      return restoreBackup(db, readBackup(file), secret).catch((error: Error) => error.message);
    };
    const head = JSON.parse(String(lines[0]));
    const newer = JSON.stringify({ ...head, migrations: [...head.migrations, "0999-more"] });
    expect(await restored([newer, ...lines.slice(1)])).to.contain("newer release (0999-more)");
    const older = JSON.stringify({ ...head, migrations: ["0001-accounts", "0047-failure-messages"] });
    const former = ['{"table":"former","columns":["id"]}', '{"id":1}'];
    const rest = lines.slice(1).map((line) => {
      if (line.startsWith('{"end"')) return JSON.stringify({ end: true, rows: JSON.parse(line).rows + 1 });
      return line.replace(/^(\{"table":"recorded_event","columns":\[)/, '$1"former",');
    });
    expect(rest.some((line) => line.includes('"former"'))).to.equal(true);
    expect(await restored([older, ...former, ...rest]))
      .to.have.property("rows")
      .above(250);
    const again = join(folder, "older");
    await writeFileAtomically(again, (file) => writeBackup(db, secret, file)).finally(() => db.close());
    expect(await contents(again)).to.deep.equal(await contents(first));
  });

  it("write files that only their owner can read", async () => {
    expect((await stat(first)).mode & 0o777).to.equal(0o600);
  });

  it("refuse a database or file in use", async () => {
    const { stderr } = await script("restore-file", first, source).catch((error) => error);
    expect(stderr).to.match(postgres ? /not empty/ : /already uses this directory/);
  });

  it("move an embedded database to PostgreSQL, and PostgreSQL to an embedded database", async function () {
    if (!postgres) this.skip();
    const [embedded, back] = [await open({ DATA_DIR: join(folder, "embedded") }), await open(await elsewhere())];
    const [second, third] = [join(folder, "second"), join(folder, "third")];
    await restoreBackup(embedded, readBackup(first), secret);
    await writeFileAtomically(second, (file) => writeBackup(embedded, secret, file)).finally(() => embedded.close());
    await restoreBackup(back, readBackup(second), secret);
    await writeFileAtomically(third, (file) => writeBackup(back, secret, file)).finally(() => back.close());
    expect([await contents(second), await contents(third)]).to.deep.equal([
      await contents(first),
      await contents(first),
    ]);
  });
});

/**
 * Creates a sample of everything: an issue with a parent, a comment, a webhook, events with every kind of character.
 */
async function fill(app: App): Promise<Tenant> {
  const tenant = await createOrganization(app);
  const { teamCreate } = await tenant.gql(`mutation { teamCreate(input: { name: "T", key: "T" }) { team { id } } }`);
  const teamId = teamCreate.team.id;
  const create = `mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }`;
  const { issueCreate } = await tenant.gql(create, { input: { teamId, title: "A “parent” \n with\ttabs 🧵" } });
  await tenant.gql(create, { input: { teamId, title: "child", parentId: issueCreate.issue.id } });
  await tenant.rest("POST", "/api/webhooks", { target: "https://example.com/", teamId });
  const session = { session_id: randomUUID(), user_data: { user_id: "u1", plan: "π" }, metadata: { a: [1.5, null] } };
  const headers = { "x-api-key": tenant.ingestKey };
  await callRestApi(app.url, "POST", "/api/v1/capture-session", { body: session, headers });
  const events = Array.from({ length: 250 }, (_, at) => ({
    event_id: randomUUID(),
    session_id: session.session_id,
    primitive_name: `tool ${at}`,
    args: `{"n":${at},"text":"\\u2028 \\\\ \\" 🧵"}`,
    result: "line one\r\nline two",
    metadata: { "checkpoint.a": at, nested: { text: "x\ny" } },
  }));
  const sent = await callRestApi(app.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  expect(sent.headers.get("x-ingest-accepted")).to.equal("250");
  return tenant;
}

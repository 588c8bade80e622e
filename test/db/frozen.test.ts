import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createDatabase, describeOnPostgres, runSql } from "../support/db/postgres.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";
import { createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";
import { createTeam } from "../support/tracker/stream-writes.ts";

/** An organization must be writable again within this time, even if the server that locked its row froze. */
const WRITABLE_MS = 12_000;
/**
 * The mutation reads an issue between lock and commit. A transaction that needs no result before its commit is sent
 * as one packet, and can never be observed open.
 */
const COMMENT = "mutation ($input: CommentCreateInput!) { commentCreate(input: $input) { comment { body } } }";

describeOnPostgres("a server that freezes", () => {
  let made: Awaited<ReturnType<typeof createDatabase>>;
  const servers: ServerProcess[] = [];
  const urls: string[] = [];
  let tenant: Tenant;
  let issueId: string;

  before(async () => {
    made = await createDatabase();
    const off = { GRAPHQL_REQUESTS_PER_HOUR: "off", GRAPHQL_COMPLEXITY_PER_HOUR: "off", LOGIN_THROTTLE: "off" };
    const env = { DATABASE_URL: made.url, JWT_SECRET: "a secret of the tests, long enough to be one", ...off };
    for (let count = 0; count < 2; count += 1) {
      const server = spawnServer(env);
      servers.push(server);
      urls.push((await server.printed(LISTENING_LINE))[1] ?? "");
    }
    tenant = await createOrganization({ url: urls[0] });
    const query = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
    const variables = { input: { teamId: await createTeam(tenant), title: "written about" } };
    issueId = (await sendGraphQL(urls[0] ?? "", tenant.apiKey, { query, variables })).data.issueCreate.issue.id;
  });
  after(async () => {
    for (const { child } of servers) child.kill("SIGCONT");
    await Promise.all(servers.map((server) => server.stop("SIGKILL")));
    await made.drop();
  });

  const write = (server: number, body: string) =>
    sendGraphQL(urls[server] ?? "", tenant.apiKey, { query: COMMENT, variables: { input: { issueId, body } } }).catch(
      () => ({ status: 0, data: undefined }),
    );

  /** Freezes the first server between two statements of a transaction that holds the lock of the organization. */
  async function freezeHolder(): Promise<void> {
    const holder = `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
      and xact_start < clock_timestamp() - interval '0.1 s'`;
    const deadline = performance.now() + 60_000;
    for (let frozen = false; !frozen; ) {
      if (performance.now() > deadline)
        throw new Error("No freeze in 60 s came between two statements of a transaction");
      servers[0]?.child.kill("SIGCONT");
      await sleep(Math.random() * 40);
      servers[0]?.child.kill("SIGSTOP");
      await sleep(150);
      frozen = (await runSql(made.url, holder)).length > 0;
    }
  }

  it("holding an organization's lock blocks writes on other servers for at most 12 s, and confirms no lost write on waking", async () => {
    let writing = true;
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let turn = 0; writing; turn += 1) {
        const reply = await write(0, `first ${writer} ${turn}`);
        statuses.add(reply.status);
        if (reply.data) acknowledged.push(reply.data.commentCreate.comment.body);
      }
    });
    await freezeHolder();
    const begun = performance.now();
    while (!(await write(1, "second")).data) await sleep(100);
    expect(performance.now() - begun).to.be.lessThan(WRITABLE_MS);
    servers[0]?.child.kill("SIGCONT");
    await sleep(1_000);
    writing = false;
    await Promise.all(writers);
    expect(
      [...statuses].every((status) => [200, 503].includes(status)),
      [...statuses].join(),
    ).to.equal(true);
    expect(servers[0]?.child.exitCode).to.equal(null);
    const bodies = (await runSql(made.url, "select body from comment")).map(({ body }) => String(body));
    expect(bodies.filter((body, at) => bodies.indexOf(body) !== at)).to.deep.equal([]);
    expect(acknowledged.filter((body) => !bodies.includes(body))).to.deep.equal([]);
    const gaps = `select 1 from (select "lastSyncId" - lag("lastSyncId", 1, 0) over (partition by "organizationId"
      order by "lastSyncId") as step from change) steps where step <> 1`;
    expect(await runSql(made.url, gaps)).to.deep.equal([]);
  });
});

describeOnPostgres("a transaction whose connection is ended before its COMMIT", () => {
  it("is repeated once, and committed once", async () => {
    const made = await createDatabase();
    const { openDatabase } = await import("../../db/open.ts");
    const db = await openDatabase({ url: made.url, dataDir: "unused", poolSize: 2 });
    await db.query({ text: "create table mark (run integer)" });
    let runs = 0;
    await db.transaction(async (trx) => {
      runs += 1;
      await trx.query({ text: "insert into mark values ($1)", values: [runs] });
      if (runs > 1) return;
      const [{ pid } = { pid: 0 }] = await trx.query<{ pid: number }>({ text: "select pg_backend_pid() as pid" });
      await runSql(made.url, `select pg_terminate_backend(${pid})`);
      await sleep(200);
      await trx.query({ text: "insert into mark values (0)" });
    });
    expect(await db.query({ text: "select run from mark" })).to.deep.equal([{ run: 2 }]);
    await db.close();
    await made.drop();
  });

  it("is ended by PostgreSQL itself when its server does nothing", async () => {
    const made = await createDatabase();
    const { openDatabase } = await import("../../db/open.ts");
    const db = await openDatabase({ url: made.url, dataDir: "unused", poolSize: 2 });
    const settings = await db.transaction((trx) =>
      trx.query({
        text: "select name, setting from pg_settings where name ~ '^(idle_in_transaction_session|transaction|lock)_timeout$' and setting <> '0'",
      }),
    );
    expect(settings.map(({ name }) => name)).to.include.members([
      "idle_in_transaction_session_timeout",
      "lock_timeout",
    ]);
    await db.close();
    await made.drop();
  });
});

describe("the server's source", () => {
  it("begins transactions in one place", () => {
    const offenders = ["db", "concurrency", "redaction", "server", "mcp"]
      .flatMap((room) => readdirSync(room, { recursive: true }).map((name) => join(room, String(name))))
      .filter((path) => /\.(ts|js)$/.test(path) && path !== join("db", "statements", "begin.ts"))
      .filter((path) => /["'`]\s*(begin|start transaction)\b(?! \w+ing)/i.test(readFileSync(path, "utf8")));
    expect(offenders).to.deep.equal([]);
  });
});

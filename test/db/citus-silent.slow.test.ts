import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { dumpDatabase } from "../../server/admin/backup/dump.ts";
import type { App } from "../../server/app.ts";
import { countRows } from "../../server/jobs/deletion.ts";
import {
  citusUrl,
  createCitusDatabase,
  dropCitusDatabase,
  proxyNode,
  readNode,
  runDistribute,
  type SilenceableNode,
} from "../support/db/citus.ts";
import { catchFailure } from "../support/db/database.ts";
import { runSql } from "../support/db/postgres.ts";
import { callRestApi, createOrganization, sendGraphQL, startServer, type Tenant } from "../support/server.ts";

const CREATE = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }";
/** Maximum time until the server notices a silent node. */
const NOTICED_MS = 5_000;
/** Maximum response time of requests for organizations on that node afterwards. */
const ANSWERED_MS = 2_000;

type Settled = Tenant & { teamId: string; node: number };

/** A response: status, Retry-After, start time and duration. */
interface Answer {
  status: number;
  retryAfter: string | null;
  begun: number;
  took: number;
}

async function settled(app: App, url: string): Promise<Settled> {
  const tenant = await createOrganization(app);
  const made = await tenant.gql('mutation { teamCreate(input: { name: "Acme" }) { team { id } } }');
  return { ...tenant, teamId: made.teamCreate.team.id, node: await readNode(url, tenant.organizationId) };
}

async function timed(work: () => Promise<{ status: number; headers: Headers }>): Promise<Answer> {
  const begun = performance.now();
  const { status, headers } = await work();
  return { status, retryAfter: headers.get("retry-after"), begun, took: performance.now() - begun };
}

const eventOf = (id: string) => ({ event_id: id, session_id: id, primitive_name: "a", args: "", result: "" });

/** A read, a change and an event of an organization, as separate requests. */
const works = ({ url, apiKey, ingestKey, teamId }: Settled): (() => Promise<Answer>)[] => [
  () => timed(() => sendGraphQL(url, apiKey, { query: "{ viewer { id } issues(first: 5) { nodes { title } } }" })),
  () =>
    timed(() =>
      sendGraphQL(url, apiKey, { query: CREATE, variables: { input: { teamId, title: "A node is silent" } } }),
    ),
  () =>
    timed(() =>
      callRestApi(url, "POST", "/api/v1/capture-event", {
        body: eventOf(randomUUID()),
        headers: { "x-api-key": ingestKey },
      }),
    ),
];

/** Repeats each kind of request of an organization in `atOnce` parallel loops until a point in time. */
async function repeated(tenant: Settled, atOnce: number, until: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const loop = async (work: () => Promise<Answer>) => {
    while (performance.now() < until) {
      answers.push(await work());
      await sleep(50);
    }
  };
  await Promise.all(works(tenant).flatMap((work) => Array.from({ length: atOnce }, () => loop(work))));
  return answers;
}

(citusUrl ? describe : describe.skip)("on Citus, a node that is silent", () => {
  let database: string;
  let app: App;
  let node: SilenceableNode;
  const tenants: Settled[] = [];
  /** Organizations on the node that falls silent, and an organization on another node. */
  let lost: Settled[] = [];
  let kept: Settled;

  before(async () => {
    database = await createCitusDatabase(`silent_${randomUUID().slice(0, 8)}`);
    runDistribute(database, "--apply");
    node = await proxyNode(database, 1);
    app = await startServer({ DATABASE_URL: database });
    const isLost = ({ node }: Settled) => node === 1;
    while (tenants.filter(isLost).length < 3 || tenants.every(isLost)) tenants.push(await settled(app, database));
    lost = tenants.filter(isLost);
    kept = tenants.find((tenant) => !isLost(tenant)) as Settled;
  });

  after(async () => {
    node.answer();
    await app.close();
    await node.close();
    await dropCitusDatabase(database);
  });

  it("makes only requests of its own organizations fail, quickly, from the first second", async () => {
    await Promise.all([...lost, kept].map((tenant) => repeated(tenant, 2, performance.now() + 1_000)));
    const since = performance.now();
    node.silence();
    const [others, ...own] = await Promise.all([
      repeated(kept, 2, since + 15_000),
      ...lost.map((tenant) => repeated(tenant, 5, since + 15_000)),
    ]);
    const refused = others?.filter(({ status }) => status !== 200);
    expect(refused, `of ${others?.length}`).to.deep.equal([]);
    const noticed = own.flat().filter(({ begun }) => begun - since > NOTICED_MS);
    expect(noticed.length).to.be.above(50);
    expect(noticed.filter(({ status, retryAfter }) => status !== 503 || !retryAfter)).to.deep.equal([]);
    expect(Math.max(...noticed.map(({ took }) => took))).to.be.below(ANSWERED_MS);
  });

  it("is named by the servers' health, by its number", async () => {
    const { status, body } = await callRestApi(app.url, "GET", "/api/health");
    expect(status).to.equal(200);
    expect(body).to.deep.include({ status: "ok", database: "degraded", nodes: { all: 3, unavailable: [1] } });
  });

  it("is not treated as empty by a backup, a revocation or the count before a deletion", async () => {
    const { db, secret } = app.runtime;
    expect(await catchFailure(dumpDatabase(db, secret, async () => {}))).to.be.instanceOf(UnavailableError);
    const counting = countRows(db, lost[0]?.organizationId ?? "");
    expect(await catchFailure(counting)).to.be.instanceOf(UnavailableError);
    const [key] = await runSql(database, `select id from "apiKey" where "organizationId" = '${kept.organizationId}'`);
    const revoked = await timed(() => kept.rest("DELETE", `/api/api-keys/${key?.["id"]}`));
    expect(revoked.status).to.equal(503);
    expect(revoked.took).to.be.below(ANSWERED_MS);
  });

  it("makes sign-ups and sign-ins fail in time, without partial results", async () => {
    const account = { email: `${randomUUID()}@example.com`, password: "correct horse battery", name: "Half" };
    const known = { email: kept.email, password: kept.password };
    const answers = await Promise.all([
      timed(() => callRestApi(app.url, "POST", "/api/auth/signup", { body: account })),
      timed(() => callRestApi(app.url, "POST", "/api/auth/login", { body: known })),
      timed(() => callRestApi(app.url, "POST", "/api/auth/refresh", { body: { refreshToken: kept.refreshToken } })),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503]);
    expect(Math.max(...answers.map(({ took }) => took))).to.be.below(2 * ANSWERED_MS);

    node.answer();
    const answered = performance.now();
    const isBack = async () => (await callRestApi(app.url, "GET", "/api/health")).body["database"] === "ok";
    while (!(await isBack())) await sleep(100);
    expect(performance.now() - answered).to.be.below(NOTICED_MS);
    const again = await Promise.all([
      callRestApi(app.url, "POST", "/api/auth/signup", { body: account }),
      callRestApi(app.url, "POST", "/api/auth/login", { body: known }),
      callRestApi(app.url, "POST", "/api/auth/refresh", { body: { refreshToken: kept.refreshToken } }),
    ]);
    expect(again.map(({ status }) => status)).to.deep.equal([201, 200, 200]);
  });

  it("is used again once it responds, without open transactions", async () => {
    const answers = await Promise.all([...lost, kept].flatMap((tenant) => works(tenant).map((work) => work())));
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    const open = await runSql(
      database,
      `select state, query from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and application_name = 'trackway' and state <> 'idle' and xact_start < now() - interval '5 seconds'`,
    );
    expect(open).to.deep.equal([]);
  });

  it("does not cause duplicate events after a lost commit response", async () => {
    const [one] = lost as [Settled];
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const send = (id: string) =>
      callRestApi(app.url, "POST", "/api/v1/capture-event", {
        body: eventOf(id),
        headers: { "x-api-key": one.ingestKey },
      });
    setTimeout(() => node.silence(), 5);
    const first = await Promise.all(ids.map(send));
    expect(first.map(({ status }) => status)).to.satisfy((all: number[]) =>
      all.every((each) => [200, 503].includes(each)),
    );
    node.answer();
    for (const id of ids) while ((await send(id)).status !== 200) await sleep(200);
    const stored = await runSql(
      database,
      `select event_id from recorded_event where organization_id = '${one.organizationId}' and event_id in (${ids.map((id) => `'${id}'`)})`,
    );
    expect(stored.map(({ event_id }) => event_id)).to.have.members(ids);
  });
});

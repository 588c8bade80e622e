import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createMissingIndexes } from "../../db/text/background-indexes.ts";
import type { App } from "../../server/app.ts";
import { maintainLeases } from "../../server/jobs/leases.ts";
import { linkIssuesToArrivedSessions } from "../../server/jobs/mentions/arrived.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { findScannedTables } from "../support/db/rows-read.ts";
import { startOwnServer } from "../support/own-server.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const MANY = 6_000;
/** Rows that a statement copies. */
const SLICE = 1_000;
const AT = "2020-02-03T04:05:06.789Z";

/** Columns that differ between copies of a row, as SQL with `n` as the number of the copy. */
type Differing = Record<string, string>;

const FILL: readonly (readonly [table: string, tenant: string, differing: Differing])[] = [
  [
    "issue",
    "organizationId",
    { id: uuid("issue"), number: "n + 100000", title: "n", leased: "true", previousIdentifiers: "'{}'::text[]" },
  ],
  [
    "issueLease",
    "organizationId",
    { id: uuid("issue"), checkAt: "now() + interval '1 day'", expiresAt: "now() + interval '1 day'" },
  ],
  ["comment", "organizationId", { id: uuid("comment"), issueId: uuid("issue") }],
  [
    "issueRelation",
    "organizationId",
    { id: uuid("relation"), issueId: uuid("issue"), relatedIssueId: uuid("issue", `n % ${MANY} + 1`) },
  ],
  ["externalId", "organizationId", { externalId: "n", entityId: uuid("issue") }],
  ["externalUser", "organizationId", { id: uuid("person"), name: "n" }],
  [
    "recorded_session",
    "organization_id",
    { session_id: uuid("session"), external_id: "n", timestamp: "now() - interval '1 year'" },
  ],
  [
    "recorded_event",
    "organization_id",
    { event_id: uuid("event"), session_id: uuid("session", "n / 10"), timestamp: "now() - interval '1 year'" },
  ],
  ["issueSession", "organizationId", { id: uuid("link"), issueId: uuid("issue"), sessionId: uuid("session") }],
];
const TABLES = FILL.map(([table]) => table);

function uuid(what: string, n = "n") {
  return `md5($1 || '${what}' || ${n})::uuid`;
}

async function fill({ runtime: { db } }: App, organizationId: string): Promise<void> {
  for (const [table, tenant, differing] of FILL) {
    const members = Object.entries(differing).map(([name, sql]) => `'${name}', ${sql}`);
    for (let from = 1; from < MANY; from += SLICE) {
      await db.query({
        text: `insert into "${table}" select c.* from (select * from "${table}" where "${tenant}" = $1::text::uuid limit 1) r,
        generate_series($2::integer, $3) n, jsonb_populate_record(null::"${table}", to_jsonb(r) || jsonb_build_object(${members})) c on conflict do nothing`,
        values: [organizationId, from, from + SLICE - 1],
      });
    }
    // Jobs of the server may have created some of the rows meanwhile, such as the record of checked sessions.
    const [{ count } = { count: 0 }] = await db.query<{ count: number }>({
      text: `select count(*)::int from "${table}" where "${tenant}" = $1`,
      values: [organizationId],
    });
    expect(count, table).to.be.at.least(MANY);
  }
}

/** Runs everything that an agent and the jobs do with leases, sessions and imports. */
async function work({ runtime }: App, space: Workspace, agent: TestAgent): Promise<void> {
  const { db } = runtime;
  const session = randomUUID();
  const [one, other, third, fourth] = [
    await space.issue(),
    await space.issue(),
    await space.issue(),
    await space.issue(),
  ];
  await agent.claim({ id: one.id, sessionId: session });
  await record(space, session, `See ${one.identifier} and ${other.identifier}.`);
  await processNewEvents(db);
  await linkIssuesToArrivedSessions(db);
  await agent.claim({ id: other.identifier, sessionId: `told ${session}` });
  await maintainLeases(runtime);
  const { fence } = (await agent.claim({ id: third.id })).lease;
  await agent.does("issueRenew", { id: third.id, fence });
  await agent.does("issueComplete", { id: third.id, fence, comment: "Done." });
  await agent.does("issueRelease", { id: other.id, comment: "No." });
  await db.query({
    text: `update "issueLease" set "expiresAt" = now(), "checkAt" = now(), "sessionId" = $2 where "organizationId" = $1 and id = $3`,
    values: [space.organizationId, session, one.id],
  });
  await maintainLeases(runtime);
  await agent.claim({ filter: { title: { eq: one.title } } });
  await space.does("issueRelationCreate", { input: { type: "blocks", issueId: third.id, relatedIssueId: fourth.id } });
  await imported(space, session);
}

async function record(space: Workspace, session_id: string, args: string): Promise<void> {
  const event = { event_id: randomUUID(), session_id, primitive_name: "a", primitive_type: "agent", args, result: "" };
  const { status } = await callRestApi(space.url, "POST", "/api/v1/capture-events", {
    body: { events: [event] },
    headers: { "x-api-key": space.ingestKey },
  });
  expect(status).to.be.lessThan(300);
}

async function imported(space: Workspace, tag: string): Promise<void> {
  const person = { name: `P ${tag}`, email: `${tag}@example.com` };
  const issue = { team: "ENG", title: "Imported", createdAt: AT, creator: person, labels: [`l ${tag}`] };
  const rows = [
    { label: { name: `l ${tag}` } },
    { project: { name: `p ${tag}`, teams: ["ENG"] } },
    ...[1, 2].map((n) => ({
      issue: { ...issue, externalId: `${tag} ${n}`, identifier: `OLD-${n}`, project: `p ${tag}` },
    })),
    { comment: { externalId: `${tag} c`, issue: `${tag} 1`, body: "Said", author: person, createdAt: AT } },
    { parent: { issue: `${tag} 1`, parent: `${tag} 2` } },
    { relation: { type: "blocks", issue: `${tag} 1`, relatedIssue: `${tag} 2`, createdAt: AT } },
  ];
  for (const status of ["created", "exists"]) {
    const input = { source: "site", rows };
    const { results } = await space.does("issueBatchImport", { input }, "results { status message }");
    expect(results.map((each: any) => each.message ?? each.status)).to.deep.equal(rows.map(() => status));
  }
}

/** Attempts, 250 ms each. A job checks every five seconds, and the machine may be busy. */
const TRIES = 480;

/** Waits until the server has analyzed the grown tables, so that the planner's row counts are about right. */
async function analyzed({ runtime: { db } }: App): Promise<void> {
  const unknown = () =>
    db.query({
      text: "select relname, reltuples from pg_class where oid = any($1::text[]::regclass[]) and reltuples < $2",
      values: [TABLES.map((name) => `"${name}"`), MANY / 2],
    });
  for (let times = 0; times < TRIES; times += 1) {
    if ((await unknown()).length === 0) return;
    await sleep(250);
  }
  const counts = `select relname, n_live_tup, n_mod_since_analyze, last_analyze, last_autoanalyze from pg_stat_user_tables
    where relname = any($1)`;
  const work = `select state, wait_event, now() - xact_start as since, left(query, 80) as query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  const seen = [await unknown(), await db.query({ text: counts, values: [TABLES] }), await db.query({ text: work })];
  throw new Error(`tables that grew were not analysed: ${JSON.stringify(seen)}`);
}

describe("work on tables that have grown", () => {
  it("finds rows by keys within seconds, although connections prepared their plans on small tables", async () => {
    const { app, end } = await startOwnServer();
    const space = await createWorkspaceIn(await createOrganization(app));
    const agent = await createAgent(space);
    for (let times = 0; times < 10; times += 1) await work(app, space, agent);
    // The server's job builds these indexes within minutes of the first start.
    await createMissingIndexes(app.runtime.db);
    await fill(app, space.organizationId);
    await analyzed(app);
    expect(await findScannedTables(app, { tables: TABLES, size: MANY }, () => work(app, space, agent))).to.deep.equal(
      [],
    );
    await end();
  });
});

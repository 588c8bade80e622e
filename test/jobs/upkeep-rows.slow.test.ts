import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Database } from "../../db/open.ts";
import type { App } from "../../server/app.ts";
import { repairOrganizationValues } from "../../server/jobs/derived/repair.ts";
import { linkIssuesToAwaitedSessions } from "../../server/jobs/mentions/arrived.ts";
import { removeOldSessions } from "../../server/jobs/retention/retention.ts";
import { computeMissingSessionTotals } from "../../server/jobs/totals.ts";
import { citusUrl } from "../support/db/citus.ts";
import { findScannedTables } from "../support/db/rows-read.ts";
import { startOwnServer } from "../support/own-server.ts";
import { postHook } from "../support/recording/observed-sessions.ts";
import { callRestApi, createOrganization, startSharedServer, waitUntilFolded } from "../support/server.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

const MANY = 12_000;
const ROWS = `from generate_series(1, ${MANY}) n`;
const PAST = `now() - interval '9 days' + n * interval '1 second'`;

/**
 * Fills an organization whose sessions are all counted and checked. One issue awaits many sessions that never arrive.
 */
const FILL = {
  sessions: `insert into recorded_session (organization_id, session_id, external_id, metadata, timestamp, timestamp_sent, registered,
      received_at, last_received_at, events, failures, turns, tool_calls, ended_at)
    select $1::uuid, md5($1::uuid::text || n)::uuid, 'session ' || n, '{}', ${PAST}, false, false, ${PAST}, ${PAST}, 1, 0, 1, 0, ${PAST} ${ROWS}`,
  awaited: `insert into "awaitedSession" ("organizationId", "issueId", reference, kind, "createdAt")
    select "organizationId", "issueId", case when n % 2 = 0 then 'never ' || n else md5('never' || n)::uuid::text end, kind, ${PAST}
    from "awaitedSession" a, generate_series(1, ${MANY}) n where "organizationId" = $1 and reference = 'never comes'`,
};

/** The hourly jobs. */
const JOBS: Record<string, (db: Database) => Promise<unknown>> = {
  "retention of sessions": (db) => removeOldSessions(db, 30),
  "totals of restored sessions": computeMissingSessionTotals,
  "sessions that are awaited": (db) => linkIssuesToAwaitedSessions(db),
};

// Skipped on Citus, because the row counts of one node do not include reads on other nodes.
(citusUrl ? describe.skip : describe)("a maintenance job without work", () => {
  let app: App;
  let end: () => Promise<void>;
  before(async () => {
    ({ app, end } = await startOwnServer());
    const space = await createWorkspaceIn(await createOrganization(app));
    await space.issue({ sessionId: "never comes" });
    const values = [space.organizationId];
    for (const text of Object.values(FILL)) await app.runtime.db.query({ text, values });
  });
  after(() => end());

  for (const isAnalyzed of [false, true])
    for (const [name, work] of Object.entries(JOBS))
      it(`does not walk an organization's rows: ${name}, ${isAnalyzed ? "analyzed" : "not analyzed"}`, async () => {
        const { db } = app.runtime;
        if (isAnalyzed) await db.query({ text: "vacuum analyze" });
        const tables = [name === "sessions that are awaited" ? "awaitedSession" : "recorded_session"];
        const walked = await findScannedTables(app, { tables, size: MANY }, async () => void (await work(db)));
        expect(walked).to.deep.equal([]);
      });
});

describe("indexes for maintenance jobs", () => {
  it("contain no sessions that agents currently report, so that reports do not write to the indexes", async () => {
    const tenant = await createOrganization();
    const headers = { "x-api-key": tenant.ingestKey };
    const [event_id, session_id] = [randomUUID(), randomUUID()];
    const event = { event_id, session_id, primitive_name: "a", args: "x", result: "" };
    const post = (path: string, body: object) => callRestApi(tenant.url, "POST", `/api/v1/${path}`, { body, headers });
    await post("capture-session", { session_id: randomUUID(), user_data: { user_id: "u" } });
    await post("capture-event", event);
    const told = { session_id: randomUUID(), hook_event_name: "UserPromptSubmit", prompt: "Why?" };
    await postHook(tenant, "claude-code", told);
    const { runtime } = await startSharedServer();
    await waitUntilFolded(runtime, tenant.organizationId);
    const { db } = runtime;
    for (const name of ["recorded_session_unmeasured", "recorded_session_ahead"]) {
      const [index] = await db.query<{ only: string }>({
        text: "select pg_get_expr(indpred, indrelid) as only from pg_index where indexrelid = to_regclass($1)",
        values: [name],
      });
      const text = `select count(*)::int as all, count(*) filter (where ${index?.only})::int as within from recorded_session where organization_id = $1`;
      expect(await db.query({ text, values: [tenant.organizationId] }), name).to.deep.equal([{ all: 3, within: 0 }]);
    }
  });
});

describe("maintenance that continues where it stopped", () => {
  it("removes old rows behind more kept rows than a pass reads, whatever clock sent them", async () => {
    const { app, end } = await startOwnServer();
    const { db } = app.runtime;
    const { organizationId } = await createOrganization(app);
    const made = (count: number, began: string, received: string) =>
      db.query({
        text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
            received_at, last_received_at, events, failures, turns, tool_calls)
          select $1, gen_random_uuid(), '{}', ${began} + n * interval '1 millisecond', true, false, ${received}, ${received}, 0, 0, 0, 0
          from generate_series(1, $2::int) n`,
        values: [organizationId, count],
      });
    const days = (count: number) => `now() - interval '${count} days'`;
    await made(7_000, days(400), days(1));
    await made(3, days(300), days(40));
    await made(4, days(-200), days(40));
    await made(2, days(20), days(40));
    await made(5, days(40), days(40));
    const left = async () => {
      const text = "select count(*)::int as n from recorded_session where organization_id = $1";
      return (await db.query<{ n: number }>({ text, values: [organizationId] }))[0]?.n;
    };
    await removeOldSessions(db, 30);
    expect(await left()).to.equal(7_008);
    await removeOldSessions(db, 30);
    expect(await left()).to.equal(7_000);
    await made(1, days(500), days(40));
    await removeOldSessions(db, 30);
    expect(await left()).to.equal(7_000);
    await end();
  });

  it("repairs every derived value, some in each pass", async () => {
    const { app, end } = await startOwnServer();
    const { db } = app.runtime;
    const { organizationId } = await createOrganization(app);
    const text = `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
        received_at, last_received_at, events, failures, turns, tool_calls)
      select $1, gen_random_uuid(), '{}', now() - n * interval '1 minute', false, false, now(), now(), 1, 0, 0, 0 from generate_series(1, 41) n`;
    await db.query({ text, values: [organizationId] });
    const wrong = async () => {
      const asked = `select count(*)::int as n from recorded_session where organization_id = $1 and events <> 0`;
      return (await db.query<{ n: number }>({ text: asked, values: [organizationId] }))[0]?.n ?? 0;
    };
    await repairOrganizationValues(app.runtime, organizationId, 2);
    expect(await wrong()).to.equal(1);
    await repairOrganizationValues(app.runtime, organizationId, 2);
    expect(await wrong()).to.equal(0);
    await end();
  });
});

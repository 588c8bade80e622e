import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { MARK_EVERYTHING_STATEMENTS } from "../../server/resources/recorded/analytics/index.ts";
import { citusUrl } from "../support/db/citus.ts";
import { countRowsRead } from "../support/db/plan-rows.ts";
import { collectReads } from "../support/db/statements.ts";
import { startOwnServer } from "../support/own-server.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

const ORGANIZATIONS = 20;
const SESSIONS = 200;
const EVENTS = 5;
/**
 * Number of events of one organization. Of sessions, users and events, all organizations together have several times
 * as many.
 */
const OWN = SESSIONS * EVENTS;

/** Fills the tables for the tenant and for nineteen other organizations. */
async function fill({ runtime: { db } }: App, { organizationId }: Tenant): Promise<void> {
  const ids = `(select case when o = 1 then $1::uuid else md5($1::text || o)::uuid end as org, o from generate_series(1, ${ORGANIZATIONS}) o) o`;
  const session = "md5(o || '-' || s)::uuid";
  const at = `'2026-01-01'::timestamptz + s * interval '1 minute'`;
  const values = [organizationId];
  await db.query({
    text: `insert into recorded_user select org, 'u' || s, '{}', ${at}, 0 from ${ids}, generate_series(1, ${SESSIONS}) s`,
    values,
  });
  await db.query({
    text: `insert into recorded_session select org, ${session}, 'u' || s, '{}', null, ${at}, true, true, ${at}, ${at}, 0
      from ${ids}, generate_series(1, ${SESSIONS}) s`,
    values,
  });
  await db.query({
    text: `insert into recorded_event select org, md5(o || '-' || s || '-' || e)::uuid, ${session}, null, ${at}, ${at}, 5, 0,
        true, e > 1, 'agent', null, 'args', 'result', '{"checkpoint.a": 1}'
      from ${ids}, generate_series(1, ${SESSIONS}) s, generate_series(1, ${EVENTS}) e`,
    values,
  });
  for (const text of MARK_EVERYTHING_STATEMENTS) await db.query({ text });
  for (const table of ["recorded_user", "recorded_session", "recorded_event"])
    await db.query({ text: `analyze ${table}` });
}

const READS: Record<string, string> = {
  sessions: "recordedSessions { nodes { id user { id traits } totals { events failures } } }",
  "sessions of a user": 'recordedSessions(filter: {user: {id: {eq: "u7"}}}) { nodes { id } }',
  "sessions with failures": "recordedSessions(filter: {hasFailures: {eq: true}}) { nodes { id } }",
  "sessions of an agent": 'recordedSessions(filter: {agent: {eq: "agent"}}) { nodes { id } }',
  "sessions of a time": 'recordedSessions(filter: {startedAt: {gt: "2026-01-01T02:00:00Z"}}) { nodes { id } }',
  events: "recordedSessions(first: 5) { nodes { events(first: 10) { nodes { id orphan checkpoints { name } } } } }",
  children:
    "recordedSessions(first: 3) { nodes { events(first: 3) { nodes { children(first: 3) { nodes { id } } } } } }",
  users: "recordedUsers { nodes { id traits sessions(first: 3) { nodes { id } } } }",
  "tool stats": 'recordedToolStats(from: "2026-01-01", to: "2026-01-02") { tools { name calls p95 } }',
};

describe("reads of recorded data", () => {
  let app: App;
  let end: () => Promise<void>;
  let tenant: Tenant;

  // Rows of other tests in a table would change the plans, so the test needs an empty database. On Citus, a database
  // created here would not be distributed over the nodes.
  before(async () => {
    ({ app, end } = citusUrl ? { app: await startServer(), end: async () => {} } : await startOwnServer());
    tenant = await createOrganization(app);
    await fill(app, tenant);
  });

  after(() => end());

  for (const [what, field] of Object.entries(READS)) {
    it(`take one statement and read at most the organization's rows: ${what}`, async () => {
      await tenant.gql(`{ ${field} }`); // Reads credentials and budgets.
      const statements = await collectReads(app, () => tenant.gql(`{ ${field} }`));
      const read = statements.filter(({ text }) => text.includes("recorded_"));
      expect(read).to.have.length(1);
      // On Citus, a plan does not contain the rows that the nodes read. In a shard with almost no other organization,
      // a full scan is correct.
      if (citusUrl || !read[0]) return;
      const rows = Object.entries(await countRowsRead(app, read[0])).filter(([name]) => name.startsWith("recorded_"));
      expect(rows.filter(([, count]) => count > OWN)).to.deep.equal([]);
    });
  }

  (citusUrl ? it.skip : it)("take sessions and their events in the order of an index", async () => {
    const [statement] = await collectReads(app, () =>
      tenant.gql("{ recordedSessions(first: 3) { nodes { events(first: 3) { nodes { id } } } } }"),
    );
    const plan = await app.runtime.db.query({ text: `explain ${statement?.text}`, values: statement?.values ?? [] });
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).to.match(/Index.*recorded_session_started[\s\S]*Index.*recorded_event_session/);
  });
});

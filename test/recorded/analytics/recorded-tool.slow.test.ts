import { createHash } from "node:crypto";
import { expect } from "chai";
import type { App } from "../../../server/app.ts";
import { countMarkedHours } from "../../../server/jobs/analytics.ts";
import { createMarkHoursStatements } from "../../../server/resources/recorded/analytics/index.ts";
import { countRowsRead } from "../../support/db/plan-rows.ts";
import { collectReads } from "../../support/db/statements.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = Math.floor(Date.now() / DAY) * DAY - 20 * DAY;
/** Maximum number of session hashes per count. */
const KEPT = 512;

/** Sessions and events of a tool, created with SQL. The number of events is hours times sessions. */
interface Made {
  hours: number;
  sessions: number;
  /** True if every hour has the same sessions; false if each hour has sessions of its own. */
  again: boolean;
  failing?: boolean;
  /** Number of additional tools with the same hours. */
  others?: number;
}

describe("recordedTool over a long range", () => {
  let app: App;
  let end: () => Promise<void>;
  before(async () => {
    ({ app, end } = await startOwnServer());
  });
  after(() => end());

  async function record({ hours, sessions, again, failing = false, others = 0 }: Made): Promise<Tenant> {
    const tenant = await createOrganization(app);
    const session = `md5('s' || ${again ? "s" : "h || ' ' || s"})::uuid`;
    const from = `generate_series(0, ${hours - 1}) h, generate_series(1, ${sessions}) s`;
    const values = [tenant.organizationId, new Date(MIDNIGHT)];
    const { db } = app.runtime;
    await db.query({
      text: `insert into recorded_session (organization_id, session_id, user_id, metadata, timestamp, timestamp_sent, registered,
          received_at, last_received_at, events, failures, turns, tool_calls)
        select distinct on (2) $1::uuid, ${session}, 'u' || s % 7, '{}'::jsonb, $2::timestamptz, true, true, $2::timestamptz,
          $2::timestamptz, 1, 0, 0, 1 from ${from}`,
      values,
    });
    await db.query({
      text: `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent, success,
          primitive_name, primitive_type, args, result, message, latency)
        select $1, md5(h || '-' || s || '-' || tool)::uuid, ${session}, $2::timestamptz + h * interval '1 hour' + s * interval '1 second', now(),
          true, ${!failing}, case tool when 0 then 'Bash' else 'Tool ' || tool end, 'tool', '', '', 'broke ' || chr(97 + s % 26) || chr(97 + s / 26), s * 7
        from ${from}, generate_series(0, ${others}) tool`,
      values,
    });
    const moments = Array.from({ length: hours }, (_, hour) => MIDNIGHT + hour * HOUR);
    for (const statement of createMarkHoursStatements(tenant.organizationId, moments)) await db.query(statement);
    await countMarkedHours(db);
    return tenant;
  }

  const QUERY = `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration) { recordedTool(from: $from, to: $to, name: "Bash") {
    calls sessions buckets { calls bands } failureGroupCount failureGroups { count sessions users message } } }`;
  const COURSE = `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration) {
    recordedTool(from: $from, to: $to, name: "Bash", buckets: 8) { calls buckets { calls } } }`;
  const range = { from: new Date(MIDNIGHT - HOUR / 2).toISOString(), to: new Date(MIDNIGHT + 16 * DAY).toISOString() };
  const ask = async (tenant: Tenant) => (await tenant.gql(QUERY, range)).recordedTool;
  async function readAnalyzed(tenant: Tenant, query = QUERY): Promise<Record<string, number>> {
    for (const table of ["recorded_session", "recorded_failure", "recorded_tool_hour"])
      await app.runtime.db.query({ text: `analyze ${table}` });
    return read(tenant, query);
  }
  async function read(tenant: Tenant, query: string): Promise<Record<string, number>> {
    const statements = await collectReads(app, () => tenant.gql(query, range));
    const statement = statements.find(({ text }) => text.includes("recorded_tool_hour"));
    if (!statement) throw new Error("nothing was read");
    return countRowsRead(app, statement);
  }

  /** Computes the number of sessions that the lowest hashes estimate, independently of the server's code. */
  function expected({ hours, sessions, again }: Made): number {
    const names = Array.from({ length: again ? sessions : hours * sessions }, (_, n) =>
      again ? `s${n + 1}` : `s${Math.floor(n / sessions)} ${(n % sessions) + 1}`,
    );
    const md5 = (text: string) => createHash("md5").update(text).digest("hex");
    const dashed = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    const hashes = names
      .map((name) => Number.parseInt(md5(dashed(md5(name))).slice(0, 8), 16) | 0)
      .sort((a, b) => a - b);
    const least = [...new Set(hashes)].slice(0, KEPT);
    return least.length < KEPT ? least.length : Math.round(((KEPT - 1) * 2 ** 32) / ((least.at(-1) ?? 0) + 2 ** 31));
  }

  const cases: [string, Made][] = [
    ["of a few", { hours: 30, sessions: 4, again: false }],
    ["of many, each in an hour", { hours: 120, sessions: 90, again: false }],
    ["of few that are in every hour", { hours: 120, sessions: 90, again: true }],
    ["of many that are in every hour", { hours: 20, sessions: 600, again: true }],
  ];
  for (const [what, made] of cases)
    it(`estimates the number of sessions from the lowest hashes: ${what}`, async () => {
      const { calls, sessions } = await ask(await record(made));
      expect([calls, sessions]).to.deep.equal([made.hours * made.sessions, expected(made)]);
    });

  it("reads only the sessions of the failures on the page", async () => {
    await record({ hours: 40, sessions: 500, again: false });
    const made = { hours: 2, sessions: 400, again: true, failing: true };
    const tenant = await record(made);
    const { failureGroups, failureGroupCount } = await ask(tenant);
    expect([failureGroups.length, failureGroupCount]).to.deep.equal([50, 400]);
    for (const group of failureGroups) expect(group).to.include({ count: 2, sessions: 1, users: 1 });
    expect((await readAnalyzed(tenant))["recorded_session"]).to.be.at.most(2 * 50);
  });

  it("computes buckets of days without reading all hours", async () => {
    const tenant = await record({ hours: 15 * 24, sessions: 30, again: true });
    const shown = await ask(tenant);
    expect(shown.calls).to.equal(15 * 24 * 30);
    const [cells] = await app.runtime.db.query<{ n: number }>({
      text: "select sum(cardinality(buckets))::int as n from recorded_tool_hour where organization_id = $1",
      values: [tenant.organizationId],
    });
    expect((await readAnalyzed(tenant, COURSE))["lists"]).to.be.at.most(Number(cells?.n) * 0.6);
  });

  it("finds the day of an hour without comparing all pairs, even before the counts are analyzed", async () => {
    const days = 15;
    const tenant = await record({ hours: days * 24, sessions: 2, again: true });
    for (const look of [read, readAnalyzed]) {
      const rows = await look(tenant, COURSE);
      expect(rows["hours"]).to.be.at.least(days * 24);
      expect(rows["days"]).to.be.at.most(3 * days);
    }
  });

  it("reads only the hours of the requested tool, even before the counts are analyzed", async () => {
    const tenant = await record({ hours: 240, sessions: 2, again: true, others: 4 });
    for (const look of [read, readAnalyzed])
      expect((await look(tenant, COURSE))["recorded_tool_hour"]).to.be.within(240, 242);
  });
});

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { readMetric as countedNow } from "../../server/counters.ts";
import { updateHourAndGroupCounts } from "../../server/jobs/analytics.ts";
import { DERIVED_VALUE_COMPARISONS } from "../../server/jobs/derived/repair.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import { repairDerivedValues } from "../support/db/derived.ts";
import { sample } from "../support/run/runs.ts";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { createAgent, type TestAgent } from "../support/tracker/work.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Statements that make a derived value wrong, by name of the value. $1 is the organization. */
const SPOILS: Record<string, string[]> = {
  "type of an issue's state": [
    `update issue set "stateType" = 'completed' where "organizationId" = $1 and "stateType" = 'backlog'`,
  ],
  "labels of an issue": [
    `update issue set "labelSet" = '' where "organizationId" = $1`,
    `update issue set "labelSet" = "labelSet" || 'AAAAAAAAAAAAAAAAAAAAAA' where "organizationId" = $1`,
  ],
  "lease of an issue": [
    `update issue set leased = not leased where "organizationId" = $1`,
    `delete from "issueLease" where "organizationId" = $1`,
    `update issue set "assigneeId" = null, "delegateId" = null where "organizationId" = $1`,
  ],
  "blockers of an issue": [
    `update issue set "openBlockers" = "openBlockers" + 1 where "organizationId" = $1`,
    `update issue set "openBlockers" = 0 where "organizationId" = $1 and "openBlockers" > 0`,
    `update issue set unblocks = 7 where "organizationId" = $1`,
  ],
  ...Object.fromEntries(
    ["team", "project", "cycle", "creator"].map((kind) => [
      `issues of a ${kind}`,
      [
        `update "issueCount" set issues = issues + 5 where "organizationId" = $1 and kind = '${kind}'`,
        `update "issueCount" set shown = 0 where "organizationId" = $1 and kind = '${kind}'`,
        `delete from "issueCount" where "organizationId" = $1 and kind = '${kind}'`,
      ],
    ]),
  ),
  "text of an issue": [
    `update "issueText" set text = 'x' where "organizationId" = $1`,
    `delete from "issueText" where "organizationId" = $1`,
  ],
  "text of a comment": [
    `update "commentText" set text = '' where "organizationId" = $1`,
    `delete from "commentText" where "organizationId" = $1`,
  ],
  "totals of a session": [
    ...[
      "events",
      "failures",
      "turns",
      "tool_calls",
      "input_tokens",
      "output_tokens",
      "cache_read_tokens",
      "cache_write_tokens",
      "cost",
      "reported_costs",
      "computed_costs",
      "missing_costs",
    ].map((column) => `update recorded_session set ${column} = ${column} + 1 where organization_id = $1`),
    `update recorded_session set models = '{"x": 2}' where organization_id = $1`,
    `update recorded_session set ended_at = '2000-01-01' where organization_id = $1`,
    `update recorded_session set ended_at = null where organization_id = $1`,
    `insert into recorded_delta (organization_id, session_id, delta_id, events, failures, turns, tool_calls) select $1, session_id, session_id, 1, 0, 0, 0 from recorded_session where organization_id = $1`,
  ],
  "counts of an hour": [
    ...["recorded_tool_hour", "recorded_tool_day"].flatMap((table) => [
      `update ${table} set calls = calls + 1 where organization_id = $1`,
      `update ${table} set bucket_calls[1] = 9 where organization_id = $1`,
      `delete from ${table} where organization_id = $1`,
    ]),
    ...["recorded_usage_hour", "recorded_usage_day"].flatMap((table) => [
      `update ${table} set cost = cost + 1 where organization_id = $1`,
      `update ${table} set sessions[1] = 9 where organization_id = $1`,
      `delete from ${table} where organization_id = $1`,
    ]),
    `update recorded_failure set failures = 9 where organization_id = $1`,
    `delete from recorded_failure where organization_id = $1`,
    `insert into recorded_tool_hour select organization_id, 'Ghost', hour - interval '3 days', calls, failures, buckets, bucket_calls, bucket_failures, sessions
      from recorded_tool_hour where organization_id = $1 limit 1`,
  ],
  "sums of a failure group": ["failures", "sessions", "users"].map(
    (column) => `update recorded_failure_group set ${column} = ${column} + 1 where organization_id = $1`,
  ),
};

/** Tables with derived values, and conditions for the rows. Times of writes are not derived values. */
const DERIVED: Record<string, string> = {
  issue: `"organizationId" = $1`,
  issueLease: `"organizationId" = $1`,
  issueCount: `"organizationId" = $1 and issues <> 0`,
  issueText: `"organizationId" = $1`,
  commentText: `"organizationId" = $1`,
  issueSession: `"organizationId" = $1`,
  recorded_session: "organization_id = $1",
  recorded_tool_hour: "organization_id = $1",
  recorded_tool_day: "organization_id = $1",
  recorded_usage_hour: "organization_id = $1",
  recorded_usage_day: "organization_id = $1",
  recorded_failure: "organization_id = $1",
  recorded_failure_group: "organization_id = $1",
};
const WRITTEN = ["updatedAt", "late_at", "unread_from"];

const run = async (text: string, values: unknown[]) =>
  (await startSharedServer()).runtime.db.query<any>({ text, values });

async function derivedOf(organizationId: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [table, where] of Object.entries(DERIVED)) {
    const rows = await run(`select to_jsonb(t) - $2::text[] as row from "${table}" t where ${where}`, [
      organizationId,
      WRITTEN,
    ]);
    found[table] = rows.map(({ row }) => JSON.stringify(row)).sort();
  }
  return found;
}

interface World {
  space: Workspace;
  agent: TestAgent;
}

/** Runs the jobs that process recorded events. */
async function workOff(): Promise<void> {
  const { runtime } = await startSharedServer();
  await processNewEvents(runtime.db);
  await updateHourAndGroupCounts(runtime);
}

/** Creates an organization with every derived value. ENG-1 blocks ENG-2, ENG-3 is claimed, a session names ENG-1. */
async function filled(): Promise<World> {
  const space = await createWorkspace();
  const agent = await createAgent(space);
  const { project } = await space.does(
    "projectCreate",
    { input: { name: "P", teamIds: [space.teamId] } },
    "project { id }",
  );
  const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + 1e9).toISOString() };
  const { cycle } = await space.does("cycleCreate", { input: { teamId: space.teamId, ...times } }, "cycle { id }");
  const { issueLabel } = await space.does("issueLabelCreate", { input: { name: "bug" } }, "issueLabel { id }");
  for (let n = 0; n < 3; n += 1)
    await space.issue({
      projectId: project.id,
      cycleId: cycle.id,
      description: `About ${n}`,
      labelIds: [issueLabel.id],
    });
  await space.does("issueRelationCreate", { input: { type: "blocks", issueId: "ENG-1", relatedIssueId: "ENG-2" } });
  await space.does("commentCreate", { input: { issueId: "ENG-1", body: "Said." } });
  await agent.claim({ id: "ENG-3", ttlSeconds: 3_600 });
  const session_id = randomUUID();
  const metadata = {
    "gen_ai.request.model": "m",
    ...Object.fromEntries(GEN_AI.map((name) => [`gen_ai.usage.${name}`, 5])),
  };
  const events = [
    { primitive_type: "agent", primitive_name: "Agent", args: "Do ENG-1.", result: "", metadata },
    { primitive_type: "tool", primitive_name: "Bash", args: "{}", result: "It broke", success: false, latency: 7 },
    { primitive_type: "tool", primitive_name: "Read", args: "{}", result: "Read", latency: 30 },
  ].map((event) => ({ event_id: randomUUID(), session_id, ...event }));
  const headers = { "x-api-key": space.ingestKey };
  expect(
    (await callRestApi(space.url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status,
  ).to.equal(202);
  await workOff();
  return { space, agent };
}
const GEN_AI = ["input_tokens", "output_tokens", "cache_read.input_tokens", "cache_creation.input_tokens", "cost"];

describe("derived values", () => {
  let world: World;
  before(async () => {
    world = await filled();
  });

  it("are all compared by the job, and all tested below", () => {
    expect(Object.keys(SPOILS)).to.have.members(DERIVED_VALUE_COMPARISONS.map(({ value }) => value));
  });

  for (const { value } of DERIVED_VALUE_COMPARISONS)
    it(`are repaired and counted if they differ: ${value}`, async () => {
      // An ended lease cannot be restored, so the next statement needs a new organization.
      const isLease = value === "lease of an issue";
      for (const spoil of sample(SPOILS[value] ?? [])) {
        const { organizationId } = isLease ? (await filled()).space : world.space;
        const before = await derivedOf(organizationId);
        const counted = countedNow("derived_values_repaired_total").get(value) ?? 0;
        await run(spoil, [organizationId]);
        const spoiled = await derivedOf(organizationId);
        if (!spoil.includes("recorded_delta")) expect(spoiled, spoil).not.to.deep.equal(before);
        const repaired = await repairDerivedValues(organizationId);
        expect(repaired[value], `${spoil}: ${JSON.stringify(repaired)}`).to.be.greaterThan(0);
        expect(countedNow("derived_values_repaired_total").get(value)).to.equal(counted + Number(repaired[value]));
        if (/session|hour/.test(value)) await workOff();
        if (!isLease || spoil.includes("not leased"))
          expect(await derivedOf(organizationId), spoil).to.deep.equal(before);
        expect(await repairDerivedValues(organizationId), `a second time, after ${spoil}`).to.deep.equal({});
      }
    });

  it("follow the writes of a server of an older release, and followers see the lease end", async () => {
    const { space } = await filled();
    const { organizationId, gql } = space;
    const READY = "{ issues(filter: { ready: { eq: true } }) { nodes { identifier } } }";
    const ready = async () => (await gql(READY)).issues.nodes.map(({ identifier }: any) => identifier).sort();
    expect(await ready()).to.deep.equal(["ENG-1"]);
    await run(
      `update issue i set "stateId" = s.id, "completedAt" = now() from "workflowState" s where i."organizationId" = $1
        and i.number in (1, 3) and s."organizationId" = $1 and s."teamId" = i."teamId" and s.type = 'completed'`,
      [organizationId],
    );
    const [{ last }] = await run(`select "lastSyncId"::int as last from sync where "organizationId" = $1`, [
      organizationId,
    ]);
    expect(await ready(), "as the older server leaves it").to.deep.equal(["ENG-1"]);
    await repairDerivedValues(organizationId);
    expect(await ready()).to.deep.equal(["ENG-2"]);
    const { issue } = await gql(`{ issue(id: "ENG-3") { state { type } lease { fence } } }`);
    expect(issue).to.deep.equal({ state: { type: "completed" }, lease: null });
    const rows = await run(`select type, event from change where "organizationId" = $1 and "lastSyncId" > $2`, [
      organizationId,
      last,
    ]);
    expect(rows.map(({ type, event }) => [type, event])).to.deep.equal([["Issue", "issue.leaseExpired"]]);
  });

  // The embedded engine runs transactions one after the other.
  (process.env["TEST_DATABASE_URL"] ? it : it.skip)(
    "are compared again after a mutation in flight, whose value a repair without a lock would undo",
    async () => {
      const outcomes: Record<string, number> = {};
      for (const way of ["by the job", "without the lock"]) {
        const { organizationId } = (await filled()).space;
        const { runtime } = await startSharedServer();
        const [{ id }] = await run(`select id from issue where "organizationId" = $1 and number = 2`, [organizationId]);
        await run(`update issue set "openBlockers" = 5 where id = $1`, [id]);
        const blockers = DERIVED_VALUE_COMPARISONS.find(({ value }) => value === "blockers of an issue");
        const begun = latch();
        const end = latch();
        // A mutation in flight that makes ENG-3 block ENG-2 too.
        const mutation = runtime.db.transaction(async (trx) => {
          const mine = (text: string) => trx.query({ text, values: [organizationId] });
          await mine(`update sync set "lastSyncId" = "lastSyncId" + 1 where "organizationId" = $1`);
          await mine(`insert into "issueRelation" ("organizationId", id, type, "issueId", "relatedIssueId", "createdAt", "updatedAt")
          select $1, gen_random_uuid(), 'blocks', i.id, o.id, now(), now() from issue i, issue o
          where i."organizationId" = $1 and o."organizationId" = $1 and i.number = 3 and o.number = 2`);
          await mine(`update issue set "openBlockers" = 2 where "organizationId" = $1 and number = 2`);
          begun.open();
          await end.opened;
        });
        await begun.opened;
        const repaired =
          way === "by the job"
            ? blockers?.repair(runtime, organizationId, [id])
            : run(UNLOCKED, [organizationId, [id]]);
        await sleep(300);
        end.open();
        await Promise.all([mutation, repaired]);
        outcomes[way] = (await run(`select "openBlockers" as open from issue where id = $1`, [id]))[0].open;
        await repairDerivedValues(organizationId);
      }
      expect(outcomes).to.deep.equal({ "by the job": 2, "without the lock": 1 });
    },
  );
});

/** A repair without a lock, which writes the count from before the end of the mutation. */
const UNLOCKED = `with c as materialized (select i.id, (select count(*) from "issueRelation" r
    where r."organizationId" = $1 and r."relatedIssueId" = i.id and r.type = 'blocks') as open
  from issue i where i."organizationId" = $1 and i.id = any($2::uuid[]))
  update issue i set "openBlockers" = c.open from c where i."organizationId" = $1 and i.id = c.id`;

function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

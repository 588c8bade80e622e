import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import type { App } from "../../../server/app.ts";
import { closeEventsOfSilentSessions } from "../../../server/ingest/observe/silence.ts";
import { countMarkedHours } from "../../../server/jobs/analytics.ts";
import { removeOldSessions } from "../../../server/jobs/retention/retention.ts";
import { MARK_EVERYTHING_STATEMENTS } from "../../../server/resources/recorded/analytics/index.ts";
import { earlierSql } from "../../support/db/database.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { startAnotherServer } from "../../support/recording/ingest.ts";
import { replayHooks } from "../../support/recording/observed-sessions.ts";
import { expectedTool, expectedToolStats, type ModelCall } from "../../support/recording/tool-model.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { callRestApi, createOrganization, type Tenant } from "../../support/server.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight some days ago. A range around midnight has whole days, whole hours, and parts of both. */
const MIDNIGHT = Math.floor(Date.now() / DAY) * DAY - 6 * DAY;

/** Server with a separate database. Counting processes every organization, and other tests leave many. */
let app: App;
let end: () => Promise<void>;

const database = () => app.runtime.db;

const STATS = `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration) { recordedToolStats(from: $from, to: $to) {
  truncated tools { name calls failures p50 p95 p99 trend failureTrend } } }`;
const TOOL = `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration, $name: String!, $buckets: Int) {
  recordedTool(from: $from, to: $to, name: $name, buckets: $buckets) { calls failures sessions p50 p95 p99 bandCalls bandFailures
    buckets { at calls failures p50 p95 bands } } }`;

/** Random times, many of them near the edges of hours and days, where counting could go wrong. */
const moment = fc
  .tuple(fc.integer({ min: 0, max: 4 * 24 }), fc.constantFrom(0, 1, HOUR - 1, 1_234_567))
  .map(([hours, ms]) => MIDNIGHT + hours * HOUR + ms);

const tool = fc.constantFrom("Bash", "Read");
const event = fc.record({
  tool,
  success: fc.boolean(),
  latency: fc.option(fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 20_000_000 }))),
  session: fc.nat(5),
  at: moment,
});
type Drawn = typeof event extends fc.Arbitrary<infer T> ? T : never;

type Step =
  | { do: "send"; events: Drawn[] }
  | { do: "count" }
  | { do: "forget"; session: number }
  | { do: "restore" }
  | { do: "ask"; from: number; to: number; buckets: number; name: string };

const ask = fc
  .record({ one: moment, other: moment, buckets: fc.integer({ min: 1, max: 200 }), name: tool })
  .filter(({ one, other }) => one !== other)
  .map(
    ({ one, other, buckets, name }): Step => ({
      do: "ask",
      from: Math.min(one, other),
      to: Math.max(one, other),
      buckets,
      name,
    }),
  );
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(event, { minLength: 1, maxLength: 20 }).map((events): Step => ({ do: "send", events })),
  },
  { weight: 2, arbitrary: fc.constant<Step>({ do: "count" }) },
  { weight: 1, arbitrary: fc.nat(5).map((session): Step => ({ do: "forget", session })) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "restore" }) },
  { weight: 4, arbitrary: ask },
);

/** Creates an organization and the model of its expected counts. */
async function modelled() {
  const tenant = await createOrganization(app);
  return { tenant, calls: [] as ModelCall[], sessions: Array.from({ length: 6 }, () => randomUUID()) };
}

type World = Awaited<ReturnType<typeof modelled>>;

async function send({ tenant, calls, sessions }: World, drawn: readonly Drawn[]): Promise<void> {
  const own = drawn.map((one): ModelCall => ({ ...one, session: sessions[one.session] ?? "" }));
  const events = own.map(({ at, session, tool: primitive_name, ...rest }) => ({
    event_id: randomUUID(),
    session_id: session,
    primitive_name,
    primitive_type: "tool",
    args: "{}",
    result: "it broke",
    timestamp: at,
    ...rest,
  }));
  const { status } = await capture(tenant, events);
  expect(status).to.equal(202);
  calls.push(...own);
}

const capture = (tenant: Tenant, events: object[]) =>
  callRestApi(tenant.url, "POST", "/api/v1/capture-events", {
    body: { events },
    headers: { "x-api-key": tenant.ingestKey },
  });

/** Makes retention delete a session. */
async function forget(world: World, place: number): Promise<void> {
  const session = world.sessions[place] ?? "";
  const db = database();
  for (const [table, column] of [
    ["recorded_event", "received_at"],
    ["recorded_session", "last_received_at"],
    ["recorded_session", "timestamp"],
  ]) {
    const text = `update ${table} set ${column} = ${earlierSql(String(column), "interval '1000 days'")} where organization_id = $1 and session_id = $2`;
    await db.query({ text, values: [world.tenant.organizationId, session] });
  }
  await removeOldSessions(db, 900);
  world.calls = world.calls.filter((one) => one.session !== session);
}

/** Deletes all computed counts, as a restore does. */
async function restore(): Promise<void> {
  for (const text of MARK_EVERYTHING_STATEMENTS) await database().query({ text });
}

async function check({ tenant, calls }: World, { from, to, buckets, name }: Step & { do: "ask" }): Promise<void> {
  const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const { recordedToolStats } = await tenant.gql(STATS, range);
  expect(recordedToolStats).to.deep.equal({ truncated: false, tools: expectedToolStats(calls, from, to) });
  const { recordedTool } = await tenant.gql(TOOL, { ...range, name, buckets });
  expect(recordedTool).to.deep.equal(expectedTool(calls, name, [from, to, buckets]));
}

async function take(world: World, each: Step): Promise<void> {
  if (each.do === "send") await send(world, each.events);
  if (each.do === "count") await countMarkedHours(database());
  if (each.do === "restore") await restore();
  if (each.do === "forget") await forget(world, each.session);
  if (each.do === "ask") await check(world, each);
}

describe("tool counts", () => {
  before(async () => {
    ({ app, end } = await startOwnServer());
  });

  after(() => end());

  it("equal a recount after late events and deletions", async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const world = await modelled();
      for (const each of steps) await take(world, each);
      await countMarkedHours(database());
      await check(world, { do: "ask", from: MIDNIGHT - DAY, to: MIDNIGHT + 5 * DAY + 1, buckets: 56, name: "Bash" });
    });
    await fc.assert(property, { numRuns: scaleRuns(25) });
  });

  it("follow a connector's change of a call that was already counted", async () => {
    const tenant = await createOrganization(app);
    const stats = async () =>
      (await tenant.gql('{ recordedToolStats(from: "-P90D") { tools { name calls failures } } }')).recordedToolStats;
    const count = async () => countMarkedHours(database());
    await replayHooks(tenant, "claude-code", ["claude/02-user-prompt-submit", "claude/04-pre-tool-use"]);
    await stats();
    await count();
    await closeEventsOfSilentSessions(database(), Date.now() + 31 * 60_000);
    const [{ name, ...lost }] = (await stats()).tools;
    expect(lost).to.deep.equal({ calls: 1, failures: 1 });
    await count();
    expect((await stats()).tools).to.deep.equal([{ name, calls: 1, failures: 1 }]);
    await replayHooks(tenant, "claude-code", ["claude/06-post-tool-use", "claude/09-stop"]);
    expect((await stats()).tools).to.deep.equal([{ name, calls: 1, failures: 0 }]);
    await count();
    expect((await stats()).tools).to.deep.equal([{ name, calls: 1, failures: 0 }]);
  });

  it("miss no event while two servers commit and two count", async () => {
    const world = await modelled();
    const other = await startAnotherServer({}, app.runtime);
    let sending = true;
    const db = database();
    const counting = Promise.all(
      [1, 2].map(async () => {
        // With the priority of jobs: on the embedded engine everything else runs first.
        for (; sending; await sleep(10)) await db.as("upkeep", () => countMarkedHours(db));
      }),
    );
    try {
      for (let round = 0; round < 12; round += 1) {
        const drawn = (session: number): Drawn => ({
          tool: "Bash",
          success: round % 2 > 0,
          latency: round,
          session,
          at: MIDNIGHT + 1,
        });
        const elsewhere: World = { ...world, tenant: { ...world.tenant, url: other.url } };
        await Promise.all([send(world, [drawn(0)]), send(elsewhere, [drawn(1), drawn(2)]), send(world, [drawn(0)])]);
        await check(world, { do: "ask", from: MIDNIGHT, to: MIDNIGHT + DAY, buckets: 5, name: "Bash" });
      }
    } finally {
      sending = false;
      await counting;
    }
    await countMarkedHours(db);
    await check(world, { do: "ask", from: MIDNIGHT, to: MIDNIGHT + DAY, buckets: 5, name: "Bash" });
    await other.close();
  });
});

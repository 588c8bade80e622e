import { expect } from "chai";
import { uuidv7 } from "uuidv7";
import { closeEventsOfSilentSessions } from "../../../server/ingest/observe/silence.ts";
import { computeMissingSessionTotals, rollUpTotals } from "../../../server/jobs/totals.ts";
import { excludeFromComparison } from "../../support/db/derived.ts";
import { createEvent, startAnotherServer } from "../../support/recording/ingest.ts";
import { readHookFixture, readSession, replayHooks, toEventTree } from "../../support/recording/observed-sessions.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const database = async () => (await startSharedServer()).runtime.db;

const send = ({ ingestKey }: Tenant, url: string, events: unknown[]) =>
  callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers: { "x-api-key": ingestKey } });

/** Reads the totals from the row of a session. */
async function kept({ organizationId }: Tenant, id: string) {
  const text = `select events::integer as events, failures::integer as failures, turns::integer as turns,
      tool_calls::integer as tools, input_tokens::integer as input, cost::float8 as cost, models
    from recorded_session where organization_id = $1 and session_id = $2`;
  return (await (await database()).query<any>({ text, values: [organizationId, id] }))[0];
}

async function forgetTotals({ organizationId }: Tenant): Promise<void> {
  const text = `update recorded_session set events = null, failures = null, turns = null, tool_calls = null,
    input_tokens = null, output_tokens = null, cost = null, models = null where organization_id = $1`;
  await (await database()).query({ text, values: [organizationId] });
}

const METADATA = {
  "gen_ai.request.model": "m-1",
  "gen_ai.usage.input_tokens": 100,
  "gen_ai.usage.output_tokens": 20,
  "gen_ai.usage.cache_read.input_tokens": 7,
  "gen_ai.usage.cost": 0.1,
};

const NONE = { cacheReadTokens: 0, cacheWriteTokens: 0, inputTokens: 0, outputTokens: 0, cost: null, models: [] };

describe("session totals", () => {
  it("count a batch of events immediately, the same after the roll-up, and only once when repeated", async () => {
    const tenant = await createOrganization();
    const session_id = uuidv7();
    const turn = createEvent({ session_id });
    const batch = [
      turn,
      createEvent({ session_id, parent_id: turn.event_id, success: false }),
      createEvent({ session_id, primitive_type: "tool" }),
    ];
    const expected = { events: 3, failures: 1, turns: 1, toolCalls: 2, ...NONE };
    await send(tenant, tenant.url, batch);
    expect((await readSession(tenant)).totals).to.deep.equal(expected);
    await rollUpTotals(await database());
    expect(await kept(tenant, session_id)).to.include({ events: 3, failures: 1, turns: 1, tools: 2 });
    await send(tenant, tenant.url, [...batch, createEvent({ session_id })]);
    expect((await readSession(tenant)).totals).to.deep.equal({ ...expected, events: 4, turns: 2 });
  });

  it("take tokens, cost and model from metadata with GenAI names, and events show them", async () => {
    const tenant = await createOrganization();
    const session_id = uuidv7();
    const batch = [1, 2, 3].map(() => createEvent({ session_id, metadata: METADATA }));
    await send(tenant, tenant.url, batch);
    const expected = {
      inputTokens: 300,
      outputTokens: 60,
      cacheReadTokens: 21,
      cacheWriteTokens: 0,
      cost: 0.3,
      models: ["m-1"],
    };
    const session = await readSession(tenant);
    expect(session.totals).to.deep.include(expected);
    expect(session.events[0]).to.deep.include({
      model: "m-1",
      inputTokens: 100,
      outputTokens: 20,
      cost: 0.1,
      kind: "turn",
    });
    await rollUpTotals(await database());
    expect((await readSession(tenant)).totals).to.deep.include(expected);
    await forgetTotals(tenant);
    expect((await readSession(tenant)).totals).to.deep.include(expected);
    await computeMissingSessionTotals(await database());
    expect((await readSession(tenant)).totals).to.deep.include(expected);
    expect(await kept(tenant, session_id)).to.deep.include({ events: 3, input: 300, cost: 0.3, models: { "m-1": 3 } });
  });

  it("ignore metadata values that are not numbers", async () => {
    const tenant = await createOrganization();
    const odd = { "gen_ai.usage.input_tokens": "12", "gen_ai.usage.output_tokens": -1, "gen_ai.request.model": 5 };
    await send(tenant, tenant.url, [createEvent({ metadata: odd })]);
    const { totals, events } = await readSession(tenant);
    expect(totals).to.deep.include(NONE);
    expect(events[0]).to.deep.include({ inputTokens: null, outputTokens: null, model: null });
  });

  it("are computed for restored sessions while new events arrive", async () => {
    const tenant = await createOrganization();
    const session_id = uuidv7();
    const before = [1, 2].map(() => createEvent({ session_id }));
    await send(tenant, tenant.url, before);
    await forgetTotals(tenant);
    await replayHooks(tenant, "claude-code", ["claude/02-user-prompt-submit"]);
    await send(tenant, tenant.url, [createEvent({ session_id })]);
    expect((await readSession(tenant, session_id)).totals.events).to.equal(3);
    const count = computeMissingSessionTotals(await database());
    await send(tenant, tenant.url, [createEvent({ session_id })]);
    await count;
    expect((await readSession(tenant, session_id)).totals.events).to.equal(4);
    await rollUpTotals(await database());
    expect(await kept(tenant, session_id)).to.include({ events: 4 });
  });

  it("miss no event while two servers commit and totals are rolled up, and no read is ahead or behind", async () => {
    const tenant = await createOrganization();
    const other = await startAnotherServer();
    const session_id = uuidv7();
    let sending = true;
    const rolling = (async () => {
      while (sending) await rollUpTotals(await database());
    })();
    for (let round = 0; round < 12; round += 1) {
      const batches = [tenant.url, other.url, tenant.url].map((url) =>
        send(tenant, url, [createEvent({ session_id }), createEvent({ session_id, success: false })]),
      );
      await Promise.all(batches);
      const { totals, events } = await readSession(tenant, session_id);
      expect([totals.events, totals.failures]).to.deep.equal([6 * (round + 1), 3 * (round + 1)]);
      expect(events).to.have.length(totals.events);
    }
    sending = false;
    await rolling;
    await other.close();
  });

  it("include a commit that ends after the roll-up, which a count by time would miss", async function () {
    const db = await database();
    if (db.engine === "embedded") return this.skip(); // The engine runs one transaction at a time, so no commit is late.
    const tenant = await createOrganization();
    const session_id = uuidv7();
    await send(tenant, tenant.url, [createEvent({ session_id })]);
    const { organizationId } = tenant;
    // The event that SQL writes below has no end time, unlike events of capture-events.
    excludeFromComparison(organizationId);
    let rolled = new Date();
    // Waits outside of the transaction: a caller that holds a connection must not ask for another.
    let rollNow = () => {};
    const rolling = new Promise<void>((resolve) => {
      rollNow = resolve;
    }).then(() => rollUpTotals(db));
    await db.connection(async (client) => {
      await client.query("begin");
      await client.query({
        text: `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent,
          success, primitive_name, args, result) values ($1, $2, $3, now(), clock_timestamp(), false, true, 'a', '', '')`,
        values: [organizationId, uuidv7(), session_id],
      });
      await client.query({
        text: `insert into recorded_delta (organization_id, session_id, delta_id, events, failures, turns, tool_calls)
          values ($1, $2, $3, 1, 0, 1, 0)`,
        values: [organizationId, session_id, uuidv7()],
      });
      rollNow();
      await rolling;
      rolled = new Date(Date.now() + 1);
      await client.query("commit");
    });
    // The control: a reader that continues from the time of the last roll-up would miss the late event.
    const since = "select event_id from recorded_event where organization_id = $1 and received_at > $2";
    expect(await db.query({ text: since, values: [organizationId, rolled] })).to.deep.equal([]);
    await rollUpTotals(db);
    expect(await kept(tenant, session_id)).to.include({ events: 2 });
  });
});

describe("an open turn", () => {
  it("is closed once after half an hour without reports", async () => {
    const tenant = await createOrganization();
    await replayHooks(tenant, "claude-code", ["claude/02-user-prompt-submit", "claude/04-pre-tool-use"]);
    const db = await database();
    await readSession(tenant);
    await closeEventsOfSilentSessions(db, Date.now() + 29 * 60_000);
    expect(toEventTree(await readSession(tenant))[0]?.open).to.equal(true);
    await closeEventsOfSilentSessions(db, Date.now() + 31 * 60_000);
    const session = await readSession(tenant);
    const [turn] = toEventTree(session);
    expect([turn?.open, turn?.failed, turn?.under?.[0]?.open]).to.deep.equal([undefined, undefined, undefined]);
    expect(turn?.under?.[0]?.failed).to.contain("no end");
    expect(session.totals.failures).to.equal(1);
    await replayHooks(tenant, "claude-code", ["claude/06-post-tool-use", "claude/09-stop"]);
    const after = await readSession(tenant);
    expect(after.totals).to.deep.include({ failures: 0, events: 2 });
    expect(toEventTree(after)[0]?.result).to.equal(readHookFixture("claude/09-stop").last_assistant_message);
  });
});

import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { processNewEvents } from "../../../server/jobs/mentions/new-events.ts";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { countRowsRead } from "../../support/db/plan-rows.ts";
import { planDocument } from "../../support/graphql/plans.ts";
import { startOwnServer } from "../../support/own-server.ts";
import { postHook } from "../../support/recording/observed-sessions.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import {
  callRestApi,
  createOrganization,
  startSharedServer,
  type Tenant,
  waitUntilFolded,
} from "../../support/server.ts";

const OUTLINE = `query ($sessionId: UUID!, $receivedAfter: DateTime) {
  recordedOutline(sessionId: $sessionId, first: 5000, receivedAfter: $receivedAfter) { ids receivedAt } }`;
/** Id of the organization for which the tests plan statements. */
const PLANNED_FOR = "01980000-0000-7000-8000-00000000000f";
const DAY_MS = 86_400_000;

async function capture({ url, ingestKey }: Tenant, events: object[]): Promise<void> {
  const headers = { "x-api-key": ingestKey };
  expect(
    (await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers })).status,
  ).to.be.lessThan(300);
}

const event = (session_id: string, more: object = {}) => ({
  ...{ event_id: randomUUID(), session_id, primitive_name: "a", primitive_type: "agent", args: "Go on.", result: "" },
  ...more,
});

describe("a session outline since a cursor", () => {
  it("is read from the cursor, not from the session's start", async () => {
    const { app, end } = await startOwnServer();
    const tenant = await createOrganization(app);
    const sessionId = randomUUID();
    const begin = Date.now() - 3_600_000;
    for (let from = 0; from < 3_000; from += 500)
      await capture(
        tenant,
        Array.from({ length: 500 }, (_, n) => event(sessionId, { timestamp: begin + from + n })),
      );
    await processNewEvents(app.runtime.db);
    const told = new Date(Date.now() + 120_000);
    await app.runtime.db.query({ text: "analyze" });
    const { text, values } = planDocument(OUTLINE, { sessionId, receivedAfter: told.toISOString() }) as any;
    const own = values.map((value: unknown) =>
      value === PLANNED_FOR ? tenant.organizationId : value === "now" ? told : value,
    );
    const { recorded_event = 0 } = await countRowsRead(app, { text, values: own });
    expect(recorded_event).to.be.lessThan(100);
    await end();
  });

  it("contains all events received since, for late reports and after the roll-up (property)", async () => {
    const { db, projector } = (await startSharedServer()).runtime;
    const step = fc.tuple(
      fc.constantFrom("now", "long ago", "in a while", "begin", "end", "roll up", "look", "remember"),
      fc.boolean(),
    );
    const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const tenant = await createOrganization();
      const id = randomUUID();
      const calls: string[] = [];
      // The events stored at each moment; later reads must show them unchanged.
      const moments: { at: Date; before: Map<string, string> }[] = [];
      const stored = async () => {
        await waitUntilFolded({ projector }, tenant.organizationId);
        return new Map(
          (
            await db.query<{ id: string; state: string }>({
              text: "select event_id as id, concat(open, success, latency, args, result) as state from recorded_event where organization_id = $1",
              values: [tenant.organizationId],
            })
          ).map((row) => [row.id, row.state]),
        );
      };
      const hook = (body: object) => postHook(tenant, "claude-code", { session_id: id, ...body });
      const tool = { tool_name: "Bash", tool_input: { command: "ls" } };
      for (const [what, many] of steps) {
        const events = (timestamp: number) =>
          capture(
            tenant,
            Array.from({ length: many ? 12 : 1 }, () => event(id, { timestamp })),
          );
        if (what === "now") await events(Date.now());
        if (what === "long ago") await events(Date.now() - 3 * DAY_MS);
        if (what === "in a while") await events(Date.now() - 60_000);
        if (what === "roll up") await rollUpTotals(db);
        if (what === "look") await processNewEvents(db);
        if (what === "begin") {
          calls.push(randomUUID());
          await hook({ hook_event_name: "PreToolUse", tool_use_id: calls.at(-1), ...tool });
          // Moves the start of the session far into the past.
          if (many) {
            await db.query({
              text: `update recorded_observation set body = jsonb_set(body::jsonb, '{0,startedAt}', $2)::json
                where organization_id = $1 and body -> 0 ->> 'id' = $3`,
              values: [tenant.organizationId, String(Date.now() - DAY_MS), calls.at(-1)],
            });
            await db.query({
              text: `insert into recorded_unfolded select organization_id, gen_random_uuid(), part, received_at, 1
                from recorded_observation where organization_id = $1 and body -> 0 ->> 'id' = $2`,
              values: [tenant.organizationId, calls.at(-1)],
            });
          }
        }
        if (what === "end" && calls.length > 0)
          await hook({ hook_event_name: "PostToolUse", tool_use_id: calls.pop(), ...tool, tool_response: "Done." });
        if (what === "remember") {
          moments.push({ at: new Date(), before: await stored() });
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }
      const now = await stored();
      for (const { at, before } of moments) {
        const { recordedOutline } = await tenant.gql(OUTLINE, { sessionId: id, receivedAfter: at.toISOString() });
        const changed = [...now].filter(([event_id, state]) => before.get(event_id) !== state).map(([key]) => key);
        expect(recordedOutline.ids).to.include.members(changed);
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(12), endOnFailure: true });
  });
});

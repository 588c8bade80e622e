import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { sendEvents } from "../../../bench/web/sessions.ts";
import type { App } from "../../../server/app.ts";
import { citusUrl } from "../../support/db/citus.ts";
import { excludeFromComparison } from "../../support/db/derived.ts";
import { countRowsRead } from "../../support/db/plan-rows.ts";
import { collectReads } from "../../support/db/statements.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const OUTLINE = `query ($sessionId: UUID!, $text: String, $first: Int, $most: Int, $after: UUID) {
  recordedOutline(sessionId: $sessionId, text: $text, first: $first, most: $most, after: $after) {
    hasNextPage endCursor read stoppedAt ids briefs } }`;
/** Query without any limit, as a simple client sends. */
const PLAIN =
  "query ($sessionId: UUID!, $text: String) { recordedOutline(sessionId: $sessionId, text: $text) { ids } }";
const MANY = 30_000;

interface Page {
  hasNextPage: boolean;
  endCursor: string | null;
  read: number;
  stoppedAt: string | null;
  ids: string[];
  briefs: string[];
}

describe("text search in a session outline", () => {
  let app: App;
  let tenant: Tenant;
  before(async () => {
    app = await startSharedServer();
    tenant = await createOrganization();
  });
  const outline = async (variables: Record<string, unknown>, of = tenant): Promise<Page> =>
    (await of.gql(OUTLINE, variables)).recordedOutline;

  it("finds all events, oldest first, across every stop, and reports each stop (property)", async () => {
    const begin = Date.now() - 3_600_000;
    const words = fc.array(fc.constantFrom("needle", "NEEDLE", "50%_off", "Ünïcode", "hay"), { maxLength: 2 });
    // Several events have the same time, and the cursor must not skip any of them.
    const drawn = fc.tuple(words, fc.boolean(), fc.integer({ min: 0, max: 2 }));
    const bounds = fc.record({ first: fc.integer({ min: 1, max: 40 }), most: fc.integer({ min: 1, max: 70 }) });
    const property = fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 60 }), bounds, async (all, given) => {
      const sessionId = randomUUID();
      let at = begin;
      const events = all.map(([said, isArgs, after]) => {
        at += after;
        const texts = isArgs ? { args: said.join(" "), result: "" } : { args: "", result: said.join(" ") };
        return { event_id: randomUUID(), session_id: sessionId, primitive_name: "a", ...texts, timestamp: at };
      });
      await sendEvents(tenant.url, tenant.ingestKey, events);
      const sorted = events.toSorted((a, b) => a.timestamp - b.timestamp || (a.event_id < b.event_id ? -1 : 1));
      for (const text of ["needle", "%", "ünïcode", "nowhere"]) {
        const held = sorted.filter(({ args, result }) => `${args} ${result}`.toLowerCase().includes(text));
        const ids: string[] = [];
        let read = 0;
        for (let after: string | null = null; ; ) {
          const page: Page = await outline({ sessionId, text, ...given, after });
          expect(page.ids.length).to.be.at.most(given.first);
          expect(page.read).to.be.within(1, given.most);
          ids.push(...page.ids);
          read += page.read;
          // The cursor is the last event that was read, even if the event does not contain the text.
          expect(page.endCursor).to.equal(sorted[read - 1]?.event_id);
          const stopped = page.hasNextPage ? new Date(sorted[read - 1]?.timestamp ?? 0).toISOString() : null;
          expect(page.stoppedAt).to.equal(stopped);
          if (!page.hasNextPage) break;
          after = page.endCursor;
        }
        expect(ids).to.deep.equal(held.map(({ event_id }) => event_id));
        expect(read).to.equal(events.length);
      }
    });
    await fc.assert(property, { numRuns: scaleRuns(15) });
  });

  it("compares up to 5 MiB per response, and at least one event", async () => {
    const long = await createOrganization();
    excludeFromComparison(long.organizationId);
    const sessionId = randomUUID();
    const begin = Date.now() - 3_600_000;
    for (let n = 0; n < 12; n += 1) {
      const event = { event_id: randomUUID(), session_id: sessionId, primitive_name: "a", args: "" };
      await sendEvents(long.url, long.ingestKey, [{ ...event, result: "b".repeat(1_000_000), timestamp: begin + n }]);
    }
    const page = await outline({ sessionId, text: "nowhere" }, long);
    expect([page.read, page.stoppedAt, page.ids]).to.deep.equal([5, new Date(begin + 4).toISOString(), []]);
    const rest = await outline({ sessionId, text: "nowhere", after: page.endCursor }, long);
    expect([rest.read, rest.stoppedAt]).to.deep.equal([5, new Date(begin + 9).toISOString()]);
    const last = await outline({ sessionId, text: "nowhere", after: rest.endCursor }, long);
    expect([last.read, last.stoppedAt]).to.deep.equal([2, null]);
  });

  it("reports how much it read when nothing matches, and nothing for an empty session", async () => {
    const sessionId = randomUUID();
    const event = { session_id: sessionId, primitive_name: "a", args: "x", result: "", timestamp: Date.now() - 5_000 };
    await sendEvents(
      tenant.url,
      tenant.ingestKey,
      [1, 2, 3].map(() => ({ ...event, event_id: randomUUID() })),
    );
    const { read, stoppedAt, hasNextPage } = await outline({ sessionId, first: 2 });
    expect([read, stoppedAt, hasNextPage]).to.deep.equal([2, new Date(event.timestamp).toISOString(), true]);
    const none = { hasNextPage: false, endCursor: null, read: 0, stoppedAt: null, ids: [], briefs: [] };
    expect(await outline({ sessionId: randomUUID(), text: "x" })).to.deep.equal(none);
    for (const most of [0, 100_001]) {
      const { errors } = await tenant.graphql(OUTLINE, { sessionId, text: "x", most });
      expect(errors?.[0]?.message).to.contain("most must be between 1 and 100,000");
    }
    const many = Array.from(
      { length: 5 },
      (_, n) => `o${n}: recordedOutline(sessionId: "${sessionId}", text: "x") { read }`,
    );
    expect((await tenant.graphql(`{ ${many.join(" ")} }`)).errors?.[0]?.message).to.contain("several requests");
  });

  // On Citus, a plan does not contain the rows that the nodes read.
  (citusUrl ? it.skip : it)("reads a limited part of a long session, with and without table statistics", async () => {
    const long = await createOrganization();
    excludeFromComparison(long.organizationId);
    const sessionId = randomUUID();
    await sendEvents(long.url, long.ingestKey, [
      {
        event_id: randomUUID(),
        session_id: sessionId,
        primitive_name: "a",
        args: "x",
        result: "",
        timestamp: Date.now() - 86_400_000,
      },
    ]);
    await app.runtime.db.query({
      text: `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent, success, primitive_name, args, result)
        select $1, gen_random_uuid(), $2, now() - interval '1 day' + n * interval '1 millisecond', now(), true, true, 'a', 'said ' || n, ''
        from generate_series(1, ${MANY}) n`,
      values: [long.organizationId, sessionId],
    });
    for (const analyze of [false, true]) {
      if (analyze) await app.runtime.db.query({ text: "analyze recorded_event" });
      const statements = await collectReads(app, () => long.gql(PLAIN, { sessionId, text: "nowhere" }));
      const statement = statements.find(({ text }) => text.includes("recorded_event"));
      if (!statement) throw new Error("nothing was read");
      const { recorded_event = 0 } = await countRowsRead(app, statement);
      // The server reads the size of each event first, and then the texts.
      expect(recorded_event, analyze ? "analyzed" : "not analyzed").to.be.within(1, 2 * 10_000 + 5);
    }
  });
});

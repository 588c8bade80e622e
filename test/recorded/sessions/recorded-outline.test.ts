import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { generateSession, sendEvents } from "../../../bench/web/sessions.ts";
import { extractMessage } from "../../../server/resources/recorded/failures/message.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

const FIELDS =
  "hasNextPage endCursor ids parentIds names types kinds failed latencies timestamps briefs results checkpoints receivedAt";
const OUTLINE = `query ($sessionId: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime, $text: String) {
  recordedOutline(sessionId: $sessionId, first: $first, after: $after, receivedAfter: $receivedAfter, text: $text) { ${FIELDS} } }`;

describe("recorded session pages", () => {
  let tenant: Tenant;
  const begin = Date.now() - 3_600_000;
  const events = generateSession({ seed: randomUUID(), events: 130, begin, failEvery: 13 });
  const [{ session_id: sessionId } = { session_id: "" }] = events;
  before(async () => {
    tenant = await createOrganization();
    await sendEvents(tenant.url, tenant.ingestKey, events);
  });
  const outline = async (variables: object) => (await tenant.gql(OUTLINE, { sessionId, ...variables })).recordedOutline;

  it("contain every event of the outline once, oldest first, for any page size", async () => {
    const whole = await outline({});
    expect(whole.ids).to.have.length(130);
    for (const first of [1, 7, 64, 129, 130, 131]) {
      const ids: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await outline({ first, after });
        ids.push(...page.ids);
        if (!page.hasNextPage) break;
        after = page.endCursor;
      }
      expect(ids).to.deep.equal(whole.ids);
    }
  });

  it("contain what was sent of each event at the same index of each list", async () => {
    const page = await outline({});
    for (const event of events) {
      const at = page.ids.indexOf(event.event_id);
      expect({
        parent: page.parentIds[at],
        name: page.names[at],
        type: page.types[at],
        failed: page.failed[at],
        latency: page.latencies[at],
        at: page.timestamps[at],
        brief: page.briefs[at],
        result: page.results[at],
      }).to.deep.equal({
        parent: event.parent_id ?? null,
        name: event.primitive_name,
        type: event.primitive_type ?? null,
        failed: event.success ? 0 : 1,
        latency: event.latency,
        at: event.timestamp,
        brief: event.args.slice(0, 200),
        result: event.success ? null : extractMessage(event.result),
      });
    }
  });

  it("find later events by time of receipt, and text in any field", async () => {
    const before = new Date().toISOString();
    expect((await outline({ receivedAfter: before })).ids).to.deep.equal([]);
    const late = {
      ...events[1],
      event_id: randomUUID(),
      result: "100% of the Straße_",
      parent_id: undefined,
      timestamp: begin - 1,
    };
    await sendEvents(tenant.url, tenant.ingestKey, [late]);
    expect((await outline({ receivedAfter: before })).ids).to.deep.equal([late.event_id]);
    expect((await outline({ text: "00% OF the straße_" })).ids).to.deep.equal([late.event_id]);
    expect((await outline({ text: "0%f" })).ids).to.deep.equal([]);
    expect((await outline({ text: "part-9.ts" })).ids).to.have.length(
      events.filter(({ args }) => args.includes("part-9.ts")).length,
    );
  });

  it("refuse empty and too large pages, and hide other organizations' sessions", async () => {
    for (const first of [0, 5_001]) {
      const { errors } = await tenant.graphql(OUTLINE, { sessionId, first });
      expect(errors?.[0]?.extensions.code).to.equal("INPUT_ERROR");
    }
    const stranger = await createOrganization();
    const { recordedOutline } = await stranger.gql(OUTLINE, { sessionId });
    expect([recordedOutline.ids, recordedOutline.hasNextPage]).to.deep.equal([[], false]);
  });

  it("contain a brief with agent, message, end and activity", async () => {
    const { recordedSession } = await tenant.gql(
      "query ($id: String!) { recordedSession(id: $id) { brief { agent message endedAt lastFailed open course } } }",
      { id: sessionId },
    );
    const { brief } = recordedSession;
    expect([brief.agent, brief.message, brief.open]).to.deep.equal(["claude-code", events[0]?.args, false]);
    expect(Date.parse(brief.endedAt)).to.equal(
      Math.max(...events.map(({ timestamp, latency }) => timestamp + latency)),
    );
    expect(brief.course).to.match(/^[0-7]{40}$/);
    expect(brief.course).to.match(/[4-7]/);
  });

  it("find sessions by a tool and by text of their events", async () => {
    const find = async (filter: object) =>
      (
        await tenant.gql(
          "query ($filter: RecordedSessionFilter) { recordedSessions(filter: $filter) { nodes { id } } }",
          { filter },
        )
      ).recordedSessions.nodes.length;
    expect(await find({ tool: { eq: "Grep" } })).to.equal(1);
    expect(await find({ tool: { eq: "claude-code" } })).to.equal(0);
    expect(await find({ text: "cannot FIND module" })).to.equal(1);
    expect(await find({ and: [{ text: "cannot find module" }, { text: "no such text" }] })).to.equal(0);
    expect(await find({ or: [{ text: "no such text" }, { text: "error TS2307" }] })).to.equal(1);
  });

  it("contain a histogram with all and failed sessions per part of the range", async () => {
    const ask = (buckets: number, from: number, to: number) =>
      tenant.gql(
        `query ($from: DateTimeOrDuration, $to: DateTimeOrDuration, $buckets: Int) { recordedSessionHistogram(from: $from, to: $to, buckets: $buckets) {
          truncated buckets { at sessions failed } } }`,
        { buckets, from: new Date(from).toISOString(), to: new Date(to).toISOString() },
      );
    const { recordedSessionHistogram } = await ask(10, begin - 5_000, begin + 5_000);
    expect(recordedSessionHistogram.truncated).to.equal(false);
    const { buckets } = recordedSessionHistogram;
    expect(buckets.map(({ at }: { at: string }) => Date.parse(at))).to.deep.equal(
      Array.from({ length: 10 }, (_, n) => begin - 5_000 + n * 1_000),
    );
    expect(
      buckets
        .filter(({ sessions }: { sessions: number }) => sessions > 0)
        .map(({ sessions, failed }: { sessions: number; failed: number }) => [sessions, failed]),
    ).to.deep.equal([[1, 1]]);
    const none = await ask(3, begin - 50_000, begin - 40_000);
    expect(none.recordedSessionHistogram.buckets.map(({ sessions }: { sessions: number }) => sessions)).to.deep.equal([
      0, 0, 0,
    ]);
  });
});

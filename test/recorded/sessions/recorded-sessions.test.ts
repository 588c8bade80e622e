import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { rollUpTotals } from "../../../server/jobs/totals.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const HISTOGRAM = `query ($filter: RecordedSessionFilter, $from: DateTimeOrDuration, $buckets: Int) {
  recordedSessionHistogram(filter: $filter, from: $from, buckets: $buckets) { buckets { sessions failed tokens cost } } }`;
const ACTIVE = `query ($active: Boolean!) { recordedSessions(filter: { active: { eq: $active } }) { nodes { id } } }`;

describe("recorded session counts", () => {
  let tenant: Tenant;
  const sessions: string[] = [];
  before(async () => {
    tenant = await createOrganization();
    // Each session started some minutes ago with a turn of one second.
    for (const [n, minutes] of [0, 3, 30, 90].entries()) {
      const session_id = randomUUID();
      sessions.push(session_id);
      const metadata = { "gen_ai.usage.cost": n + 0.5, "gen_ai.usage.input_tokens": 10 ** n };
      const timestamp = Date.now() - minutes * 60_000;
      await send([
        createEvent({ session_id, primitive_name: n % 2 ? "odd" : "even", metadata, timestamp, latency: 1_000 }),
        createEvent({ session_id, primitive_name: "Bash", success: n < 3, timestamp, latency: 1_000 }),
      ]);
    }
  });
  const send = async (events: object[]) => {
    const { status } = await callRestApi(tenant.url, "POST", "/api/v1/capture-events", {
      body: { events },
      headers: { "x-api-key": tenant.ingestKey },
    });
    expect(status).to.be.oneOf([200, 202]);
  };
  const buckets = async (variables: object) =>
    (await tenant.gql(HISTOGRAM, { from: "-PT2H", buckets: 1, ...variables })).recordedSessionHistogram.buckets;
  const active = async (wanted: boolean) =>
    (await tenant.gql(ACTIVE, { active: wanted })).recordedSessions.nodes.map(({ id }: { id: string }) => id).sort();
  const are = (...numbers: number[]) => numbers.map((n) => sessions[n]).sort();

  const holds = (when: string) => {
    it(`contain totals and failures of filtered sessions, ${when}`, async () => {
      expect(await buckets({})).to.deep.equal([{ sessions: 4, failed: 1, tokens: 1_111, cost: 8 }]);
      expect(await buckets({ filter: { agent: { eq: "odd" } } })).to.deep.equal([
        { sessions: 2, failed: 1, tokens: 1_010, cost: 5 },
      ]);
      expect(await buckets({ filter: { hasFailures: { eq: false } } })).to.deep.equal([
        { sessions: 3, failed: 0, tokens: 111, cost: 4.5 },
      ]);
      expect(await buckets({ filter: { id: { eq: sessions[0] } }, from: "-PT1H" })).to.deep.equal([
        { sessions: 1, failed: 0, tokens: 1, cost: 0.5 },
      ]);
      expect(await buckets({ from: "-PT2H", buckets: 2 })).to.deep.equal([
        { sessions: 1, failed: 1, tokens: 1_000, cost: 3.5 },
        { sessions: 3, failed: 0, tokens: 111, cost: 4.5 },
      ]);
    });

    it(`separate active from ended sessions, ${when}`, async () => {
      expect(await active(true)).to.deep.equal(are(0));
      expect(await active(false)).to.deep.equal(are(1, 2, 3));
    });
  };
  holds("before they are rolled up");

  it("are rolled up for the following tests", async () => {
    await rollUpTotals((await startSharedServer()).runtime.db);
  });
  holds("once they are");

  it("treat a session with a new event as active, and exclude other organizations", async () => {
    await send([createEvent({ session_id: sessions[2] as string, primitive_name: "even", timestamp: Date.now() })]);
    expect(await active(true)).to.deep.equal(are(0, 2));
    const other = await createOrganization();
    const { recordedSessionHistogram } = await other.gql(HISTOGRAM, { buckets: 1 });
    expect(recordedSessionHistogram.buckets).to.deep.equal([{ sessions: 0, failed: 0, tokens: 0, cost: 0 }]);
    expect((await other.gql(ACTIVE, { active: true })).recordedSessions.nodes).to.deep.equal([]);
  });
});

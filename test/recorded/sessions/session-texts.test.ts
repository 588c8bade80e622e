import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sendEvents } from "../../../bench/web/sessions.ts";
import type { App } from "../../../server/app.ts";
import { collectReads } from "../../support/db/statements.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const LIST = `query ($filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSessions(filter: $filter, first: $first, after: $after) { nodes { id startedAt } pageInfo { hasNextPage endCursor } searchedSince } }`;
const BEGIN = Date.now() - 3_600_000;
/** Search text for which a statement compares at most 361 KiB. */
const COSTLY = "é".repeat(64);

describe("the text filter of recorded sessions", () => {
  let app: App;
  before(async () => {
    app = await startSharedServer();
  });
  const list = async ({ gql }: Tenant, variables: Record<string, unknown>) =>
    (await gql(LIST, variables)).recordedSessions;
  const idsOf = (page: { nodes: { id: string }[] }) => page.nodes.map(({ id }) => id);
  /** Records sessions with the given texts, a second apart. Returns the ids. */
  const record = async (tenant: Tenant, sessions: readonly (readonly string[])[]): Promise<string[]> => {
    const ids = sessions.map(() => randomUUID());
    for (const [n, texts] of sessions.entries()) {
      const event = { session_id: ids[n] as string, primitive_name: "a", result: "" };
      const at = BEGIN + n * 1_000;
      for (const [m, args] of texts.entries())
        await sendEvents(tenant.url, tenant.ingestKey, [{ ...event, event_id: randomUUID(), args, timestamp: at + m }]);
    }
    return ids;
  };

  it("finds sessions page by page, case-insensitively and literally, with other conditions, in every list", async () => {
    const tenant = await createOrganization();
    const words = ["needle", "hay", "NEEDLE 50%_off", "Ünïcode", "hay needle"];
    const ids = await record(
      tenant,
      Array.from({ length: 15 }, (_, n) => ["hay", words[n % 5] ?? ""]),
    );
    const held = (...of: number[]) => ids.filter((_, n) => of.includes(n % 5)).reverse();
    const found = async (filter: object, first = 2) => {
      const all: string[] = [];
      for (let after: string | null = null; ; ) {
        const page = await list(tenant, { filter, first, after });
        expect(page.searchedSince).to.equal(null);
        all.push(...idsOf(page));
        if (!page.pageInfo.hasNextPage) return all;
        after = page.pageInfo.endCursor;
      }
    };
    expect(await found({ text: "Needle" })).to.deep.equal(held(0, 2, 4));
    expect(await found({ text: "50%_OFF" }, 3)).to.deep.equal(held(2));
    expect(await found({ text: "ünÏcode" })).to.deep.equal(held(3));
    expect(await found({ text: "0%o" })).to.deep.equal([]);
    expect(await found({ or: [{ text: "ünïcode" }, { id: { eq: ids[1] } }] })).to.deep.equal(
      ids.filter((_, n) => n % 5 === 3 || n === 1).reverse(),
    );
    expect(await found({ and: [{ text: "needle" }, { text: "off" }] })).to.deep.equal(held(2));
    expect(await found({ text: "needle", startedAt: { lt: new Date(BEGIN + 5_000).toISOString() } })).to.deep.equal(
      held(0, 2, 4).slice(-3),
    );
    const { recordedSessionHistogram } = await tenant.gql(
      '{ recordedSessionHistogram(filter: { text: "off" }, buckets: 1) { buckets { sessions } } }',
    );
    const { recordedSearch } = await tenant.gql(
      '{ recordedSearch(term: "hay", first: 100, filter: { text: "off" }) { nodes { sessionId } } }',
    );
    expect(recordedSessionHistogram.buckets).to.deep.equal([{ sessions: 3 }]);
    const sessions = recordedSearch.nodes.map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(sessions).to.deep.equal(held(2));
  });

  it("finds a text in a long session with several statements, each comparing a limited number of bytes", async () => {
    const tenant = await createOrganization();
    const long = Array.from({ length: 12 }, (_, n) => `${"b".repeat(1_000_000)}${n === 11 ? "needle" : ""}`);
    const ids = await record(tenant, [["needle"], long, ["hay"]]);
    const sent = await collectReads(app, async () => {
      expect(idsOf(await list(tenant, { filter: { text: "needle" } }))).to.deep.equal([ids[1], ids[0]]);
    });
    // 5 MiB each of 12 MB.
    expect(sent.filter(({ text }) => text.startsWith("with seen"))).to.have.length(3);
  });

  it("reports how far back it searched when there is too much, and resumes from there", async () => {
    const tenant = await createOrganization();
    const ids = await record(tenant, [[COSTLY], ...Array.from({ length: 25 }, () => ["b".repeat(200_000)])]);
    const first = await list(tenant, { filter: { text: COSTLY } });
    expect(first.nodes).to.deep.equal([]);
    expect(Date.parse(first.searchedSince)).to.be.within(BEGIN, BEGIN + 20_000);
    const [from, to] = [BEGIN - 1_000, BEGIN + 500].map((at) => new Date(at).toISOString());
    const { recordedSearch } = await tenant.gql(
      `query ($text: String!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) {
        recordedSearch(term: "é", from: $from, to: $to, filter: { text: $text }) { nodes { sessionId } } }`,
      { text: COSTLY, from, to },
    );
    expect(recordedSearch.nodes, "of a time that has ended").to.deep.equal([{ sessionId: ids[0] }]);
    let since = first.searchedSince;
    for (let times = 0; since && times < 5; times += 1) {
      const page = await list(tenant, { filter: { text: COSTLY, startedAt: { lte: since } } });
      since = page.searchedSince;
      if (page.nodes.length > 0) expect(idsOf(page)).to.deep.equal([ids[0]]);
    }
    expect(since).to.equal(null);
  });
});

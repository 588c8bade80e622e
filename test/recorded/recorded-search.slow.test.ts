import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { createEvent } from "../support/recording/ingest.ts";
import { callRestApi, createOrganization, type Tenant } from "../support/server.ts";

const SEARCH = `query ($term: String!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $first: Int, $most: Int, $after: String, $filter: RecordedSessionFilter) {
  recordedSearch(term: $term, from: $from, to: $to, first: $first, most: $most, after: $after, filter: $filter) {
    read stoppedAt endCursor nodes { eventId sessionId name kind success at field snippet } } }`;

interface Hit {
  eventId: string;
  sessionId: string;
  at: string;
  field: string;
  snippet: string;
}

interface Found {
  read: number;
  stoppedAt: string | null;
  endCursor: string | null;
  nodes: Hit[];
}

describe("recordedSearch", () => {
  let tenant: Tenant;
  const begin = Date.now() - 3_600_000;
  const WORDS = ["needle", "NEEDLE", "50%_off", "back\\slash", "Ünïcode", "hay"];
  const texts = fc.sample(fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }), { numRuns: 240, seed: 3 });
  const sessions = Array.from({ length: 8 }, () => randomUUID());
  // Several events have the same time, and the cursor must not skip any of them.
  const events = texts.map((words, n) => {
    const fields = { session_id: sessions[n % 8] as string, timestamp: begin + Math.floor(n / 3) * 1_000 };
    const names = n % 11 === 0 ? { primitive_name: "needle-tool" } : {};
    return createEvent({
      ...fields,
      ...names,
      args: n % 2 ? words.join(" ") : "",
      result: n % 2 ? "" : words.join("\n"),
    });
  });
  before(async () => {
    tenant = await createOrganization();
    const headers = { "x-api-key": tenant.ingestKey };
    await callRestApi(tenant.url, "POST", "/api/v1/capture-events", { body: { events }, headers });
  });
  const search = async (variables: Record<string, unknown>): Promise<Found> =>
    (await tenant.gql(SEARCH, variables)).recordedSearch;
  const holds = ({ primitive_name, args, result }: (typeof events)[number], text: string) =>
    [primitive_name, args, result].some((each) => each.toLowerCase().includes(text.toLowerCase()));
  const newestFirst = [...events].sort((a, b) => b.timestamp - a.timestamp || (a.event_id < b.event_id ? 1 : -1));

  it("finds every event with a text, case-insensitively and literally, across all stops", async () => {
    for (const text of ["needle", "%", "_", "\\", "ünïcode", "e h", "nowhere"]) {
      const expected = newestFirst.filter((event) => holds(event, text)).map(({ event_id }) => event_id);
      for (const [first, most] of [
        [100, 100_000],
        [3, 100_000],
        [100, 17],
        [2, 9],
      ]) {
        const ids: string[] = [];
        let read = 0;
        for (let after: string | null = null; ; ) {
          const found: Found = await search({ term: text, first, most, after });
          expect(found.nodes.length).to.be.at.most(first ?? 0);
          expect(found.read).to.be.at.most(most ?? 0);
          expect(found.stoppedAt === null).to.equal(found.endCursor === null);
          read += found.read;
          ids.push(...found.nodes.map(({ eventId }) => eventId));
          after = found.endCursor;
          if (after === null) break;
        }
        expect([text, first, most, ids]).to.deep.equal([text, first, most, expected]);
        expect(read).to.equal(events.length);
      }
    }
  });

  it("reports the last event it read as its stop, or none when it read all", async () => {
    const { stoppedAt, read } = await search({ term: "nowhere", most: 10 });
    expect([Date.parse(stoppedAt ?? ""), read]).to.deep.equal([newestFirst[9]?.timestamp, 10]);
    expect(await search({ term: "nowhere", from: new Date(begin).toISOString() })).to.include({ stoppedAt: null });
    const from = new Date(begin + 70_000).toISOString();
    expect((await search({ term: "hay", from, first: 100 })).nodes.every(({ at }) => at >= from)).to.equal(true);
  });

  it("stops at 5 MiB of text, earlier for several searches, and shows the context of a match in a long text", async () => {
    const long = await createOrganization();
    const headers = { "x-api-key": long.ingestKey };
    for (let n = 0; n < 12; n += 1) {
      const result = `${"a".repeat(600_000)} <b>the Needle</b> ${"b".repeat(400_000)}`;
      const body = createEvent({ result, timestamp: begin + n * 1_000 });
      expect((await callRestApi(long.url, "POST", "/api/v1/capture-event", { body, headers })).status).to.equal(200);
    }
    const none = (await long.gql(SEARCH, { term: "nowhere" })).recordedSearch as Found;
    expect([none.read, none.nodes]).to.deep.equal([5, []]);
    const both = await long.gql(
      '{ a: recordedSearch(term: "nowhere") { read } b: recordedSearch(term: "nowhere") { read } }',
    );
    expect([both.a.read, both.b.read]).to.deep.equal([2, 2]);
    const { nodes: hits } = (await long.gql(SEARCH, { term: "needle", first: 1 })).recordedSearch as Found;
    expect(hits[0]).to.deep.include({ field: "result" });
    expect(hits[0]?.snippet)
      .to.match(/^a+ <b>the Needle<\/b> b+$/)
      .and.have.length(200);
  });

  it("searches only sessions of the filter and of the organization", async () => {
    const filter = { id: { eq: sessions[2] } };
    const { nodes: hits, read } = await search({ term: "needle", filter, first: 100 });
    expect(new Set(hits.map(({ sessionId }) => sessionId))).to.deep.equal(new Set([sessions[2]]));
    expect(read).to.equal(events.length);
    const other = await createOrganization();
    expect((await other.gql(SEARCH, { term: "needle" })).recordedSearch).to.deep.include({ read: 0, nodes: [] });
  });

  it("refuses unsupported arguments by name", async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ term: " " }, "term"],
      [{ term: "x".repeat(201) }, "term"],
      [{ term: "x", first: 101 }, "first"],
      [{ term: "x", most: 0 }, "most"],
      [{ term: "x", from: "-P40D" }, "from"],
      [{ term: "x", after: "1_2" }, "cursor"],
      [{ term: "x", after: "99999999999999999_0198c0de-0000-7000-8000-000000000001" }, "cursor"],
    ];
    for (const [variables, word] of refused) {
      const { errors } = await tenant.graphql(SEARCH, variables);
      expect(errors?.[0]?.message, JSON.stringify(variables)).to.contain(word);
    }
    const metadata = { or: Array.from({ length: 16 }, () => ({ metadata: { key: "k", eq: "v" } })) };
    expect((await tenant.graphql(SEARCH, { term: "x", filter: metadata })).errors?.[0]?.message).to.contain("filter");
    const many = [1, 2, 3, 4, 5].map((n) => `s${n}: recordedSearch(term: "x") { read }`).join(" ");
    expect((await tenant.graphql(`{ ${many} }`)).errors?.[0]?.message).to.contain("several requests");
  });
});

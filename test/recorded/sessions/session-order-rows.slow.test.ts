import { expect } from "chai";
import { excludeFromComparison } from "../../support/db/derived.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";

const SORTED = `query ($sort: [RecordedSessionSortInput!], $filter: RecordedSessionFilter) {
  recordedSessions(sort: $sort, filter: $filter, first: 1) { nodes { id } } }`;

describe("a sorted list of recorded sessions", () => {
  it("is refused with a hint when its filter would read more than 20,000 sessions", async () => {
    const many = await createOrganization();
    excludeFromComparison(many.organizationId);
    const { db } = (await startSharedServer()).runtime;
    await db.query({
      text: `insert into recorded_session (organization_id, session_id, metadata, timestamp, timestamp_sent, registered,
          received_at, last_received_at, events, failures, turns, tool_calls, ended_at)
        select $1, gen_random_uuid(), '{}', now() - n * interval '1 minute', true, false, now(), now(), 0, n % 7, 0, 0, now()
        from generate_series(1, 20002) n`,
      values: [many.organizationId],
    });
    const ask = (filter: object, by = "cost") => many.graphql(SORTED, { sort: [{ [by]: {} }], filter });
    const reply = await ask({ agent: { eq: "x" } });
    expect(reply.errors?.[0]?.message).to.equal(
      "to sort by cost with this filter more than 20,000 sessions would have to be read; narrow startedAt, or sort by startedAt",
    );
    expect(
      (await ask({ and: [{ hasFailures: { eq: true } }, { or: [{ tool: { eq: "x" } }] }] })).errors,
    ).to.have.length(1);
    const narrowed = { and: [{ agent: { eq: "x" } }, { startedAt: { gte: "-P1D" } }] };
    for (const passes of [{}, { startedAt: { gte: "-P20D" } }, narrowed]) {
      expect((await ask(passes)).errors, JSON.stringify(passes)).to.equal(undefined);
    }
    expect((await ask({ agent: { eq: "x" } }, "startedAt")).errors).to.equal(undefined);
  });
});

import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { computeMissingSessionTotals, rollUpTotals } from "../../../server/jobs/totals.ts";
import { createEvent } from "../../support/recording/ingest.ts";
import { sample } from "../../support/run/runs.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const SORTED = `query ($sort: [RecordedSessionSortInput!], $filter: RecordedSessionFilter, $first: Int, $after: String, $last: Int, $before: String) {
  recordedSessions(sort: $sort, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    nodes { id startedAt totals { cost failures } brief { endedAt } } pageInfo { hasNextPage endCursor startCursor } } }`;

type Node = {
  id: string;
  startedAt: string;
  totals: { cost: number; failures: number };
  brief: { endedAt: string | null };
};

const VALUES: Record<string, (node: Node) => number> = {
  startedAt: ({ startedAt }) => Date.parse(startedAt),
  duration: ({ startedAt, brief }) => Date.parse(brief.endedAt ?? startedAt) - Date.parse(startedAt),
  cost: ({ totals }) => totals.cost,
  failures: ({ totals }) => totals.failures,
};

const database = async () => (await startSharedServer()).runtime.db;

describe("a sorted list of recorded sessions", () => {
  let tenant: Tenant;
  const begin = Date.now() - 3_600_000;
  const spec = fc.record({
    at: fc.integer({ min: 0, max: 1_000 }),
    events: fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 50_000 }),
        latency: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
        success: fc.boolean(),
        cost: fc.constantFrom(undefined, 0, 0.1, 0.25, 3),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
  before(async () => {
    tenant = await createOrganization();
    const events = fc.sample(spec, { numRuns: 60, seed: 7 }).flatMap(({ at, events: sent }) => {
      const session_id = randomUUID();
      return sent.map(({ after, latency, success, cost }) =>
        createEvent({
          session_id,
          success,
          timestamp: begin + at * 1_000 + after,
          ...(latency !== undefined && { latency }),
          ...(cost !== undefined && { metadata: { "gen_ai.usage.cost": cost } }),
        }),
      );
    });
    for (const part of [events.slice(0, 70), events.slice(70)]) {
      const headers = { "x-api-key": tenant.ingestKey };
      const { status } = await callRestApi(tenant.url, "POST", "/api/v1/capture-events", {
        body: { events: part },
        headers,
      });
      expect(status).to.equal(202);
      await rollUpTotals(await database());
    }
  });
  const page = async (variables: Record<string, unknown>) => (await tenant.gql(SORTED, variables)).recordedSessions;
  const walk = async (variables: Record<string, unknown>, size: number) => {
    const nodes: Node[] = [];
    for (let after: string | null = null; ; ) {
      const { nodes: more, pageInfo } = await page({ ...variables, first: size, after });
      nodes.push(...more);
      if (!pageInfo.hasNextPage) return nodes;
      after = pageInfo.endCursor;
    }
  };
  const inOrder = (nodes: Node[], by: string, sign: number) => {
    const values = nodes.map((node) => sign * (VALUES[by]?.(node) ?? Number.NaN));
    expect(values).to.deep.equal([...values].sort((a, b) => a - b));
    expect(new Set(nodes.map(({ id }) => id)).size).to.equal(60);
  };

  for (const by of Object.keys(VALUES)) {
    it(`by ${by} has every session once in order, in both directions, for any page size and from the end`, async () => {
      for (const [order, sign] of [
        ["Ascending", 1],
        ["Descending", -1],
      ] as const) {
        const sort = [{ [by]: { order } }];
        for (const size of sample([1, 7, 60])) inOrder(await walk({ sort }, size), by, sign);
        const whole = (await page({ sort, first: 60 })).nodes.map(({ id }: Node) => id);
        const { nodes } = await page({ sort, last: 20 });
        expect(nodes.map(({ id }: Node) => id)).to.deep.equal(whole.slice(40));
      }
    });
  }

  it("reads the index of each sort instead of all sessions", async () => {
    const db = await database();
    for (const name of ["duration", "cost", "failures"]) {
      const { text } = await explained(tenant, { [name]: { order: "Descending" } });
      const plan = await db.transaction(async (trx) => {
        // Any plan is cheap on such a small table. The question is whether an index provides this order.
        for (const way of ["seqscan", "bitmapscan", "sort"]) await trx.query({ text: `set local enable_${way} = off` });
        return trx.query<{ "QUERY PLAN": string }>({ text: `explain ${text}` });
      });
      expect(JSON.stringify(plan), name).to.contain(`recorded_session_${name}`);
    }
  });

  it("computes the same ends for restored sessions", async () => {
    const db = await database();
    const sort = [{ duration: { order: "Descending" } }];
    const before = (await page({ sort, first: 60 })).nodes.map(({ id }: Node) => id);
    const forget = (columns: string) =>
      db.query({
        text: `update recorded_session set ${columns} where organization_id = $1`,
        values: [tenant.organizationId],
      });
    await forget("ended_at = null, events = null");
    await computeMissingSessionTotals(db);
    expect((await page({ sort, first: 60 })).nodes.map(({ id }: Node) => id)).to.deep.equal(before);
  });

  it("accepts one sort key, and only a cursor of the same order", async () => {
    const two = await tenant.graphql(SORTED, { sort: [{ cost: {} }, { failures: {} }] });
    expect(two.errors?.[0]?.message).to.contain("exactly one step");
    const { pageInfo } = await page({ sort: [{ cost: {} }], first: 1 });
    const other = await tenant.graphql(SORTED, { sort: [{ failures: {} }], after: pageInfo.endCursor });
    expect(other.errors?.[0]?.message).to.contain("another ordering");
  });
});

/** Explains the statement of a list without parameters. */
async function explained({ organizationId }: Tenant, sort: object) {
  const by = Object.keys(sort)[0] ?? "";
  const { sessionOrders } = await import("../../../server/resources/recorded/sessions/session-order.ts");
  const sql = sessionOrders[by]?.[0]?.sql({ alias: "t1" } as never);
  return {
    text: `select * from recorded_session t1 where organization_id = '${organizationId}' order by ${sql} desc, session_id desc limit 60`,
  };
}

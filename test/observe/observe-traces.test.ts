import { expect } from "chai";
import fc from "fast-check";
import { removeOldObservations } from "../../server/jobs/retention/observations.ts";
import { readSession, toEventTree } from "../support/recording/observed-sessions.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const START = Date.UTC(2026, 10, 21, 12);

interface Span {
  id: string;
  parent?: string;
  at: number;
  attributes?: Record<string, string>;
}

const body = (spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "assistant" } }] },
      scopeSpans: [
        {
          spans: spans.map(({ id, parent, at, attributes = {} }) => ({
            traceId: TRACE,
            spanId: id,
            ...(parent && { parentSpanId: parent }),
            name: attributes["gen_ai.operation.name"] ?? "step",
            kind: 1,
            startTimeUnixNano: `${START + at}000000`,
            endTimeUnixNano: `${START + at + 5}000000`,
            attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
            status: {},
          })),
        },
      ],
    },
  ],
});

async function send({ url, ingestKey }: Tenant, spans: readonly Span[]): Promise<void> {
  const response = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": ingestKey },
    body: JSON.stringify(body(spans)),
  });
  await response.arrayBuffer();
  expect(response.status).to.equal(200);
}

const ROOT: Span = {
  id: "00f067aa0ba902b1",
  at: 0,
  attributes: {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "helper",
    "gen_ai.conversation.id": "talk 1",
  },
};
const LINK: Span = { id: "00f067aa0ba902b2", parent: ROOT.id, at: 1 };
const TOOL: Span = {
  id: "00f067aa0ba902b3",
  parent: LINK.id,
  at: 2,
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
    "gen_ai.tool.call.id": "call-1",
  },
};
const INNER: Span = {
  id: "00f067aa0ba902b4",
  parent: TOOL.id,
  at: 3,
  attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "fetch", "gen_ai.tool.call.id": "call-2" },
};
const ALL = [ROOT, LINK, TOOL, INNER];
const shape = (tree: ReturnType<typeof toEventTree>): unknown[] =>
  tree.map(({ kind, name, under = [] }) => [kind, name, shape(under)]);
const WHOLE = [
  [
    "turn",
    "helper",
    [
      ["other", "step", []],
      ["tool", "search", [["tool", "fetch", []]]],
    ],
  ],
];

describe("a trace", () => {
  it("in many requests gives one tree, in any order and with repeated spans", async () => {
    const order = fc.shuffledSubarray([...ALL, ...ALL], { minLength: 8 });
    await fc.assert(
      fc.asyncProperty(order, async (spans) => {
        const tenant = await createOrganization();
        for (const span of spans) await send(tenant, [span]);
        const session = await readSession(tenant);
        expect(session).to.include({ externalId: "talk 1", source: "assistant" });
        expect(shape(toEventTree(session))).to.deep.equal(WHOLE);
        expect(session.totals).to.deep.include({ events: 4, turns: 1, toolCalls: 2 });
      }),
      { numRuns: scaleRuns(6) },
    );
  }).timeout(60_000);

  it("stands for the session until a span names the session", async () => {
    const tenant = await createOrganization();
    await send(tenant, [INNER, TOOL]);
    const before = await readSession(tenant);
    expect(before).to.include({ externalId: TRACE });
    expect(shape(toEventTree(before))).to.deep.equal([["tool", "search", [["tool", "fetch", []]]]]);
    await send(tenant, [ROOT]);
    expect(await readSession(tenant)).to.include({ externalId: "talk 1" });
    await send(tenant, [LINK]);
    expect(shape(toEventTree(await readSession(tenant)))).to.deep.equal(WHOLE);
  });

  it("belongs to one organization, and equal ids in another organization are another trace", async () => {
    const [one, other] = [await createOrganization(), await createOrganization()];
    await send(one, ALL);
    await send(other, [INNER]);
    expect(shape(toEventTree(await readSession(other)))).to.deep.equal([["tool", "fetch", []]]);
    expect(shape(toEventTree(await readSession(one)))).to.deep.equal(WHOLE);
  });

  it("is forgotten after some days, and its events stay unchanged", async () => {
    const tenant = await createOrganization();
    const { db } = (await startSharedServer()).runtime;
    const count = async (table: string) => {
      const text = `select count(*)::integer as count from ${table} where organization_id = $1`;
      return (await db.query<{ count: number }>({ text, values: [tenant.organizationId] }))[0]?.count;
    };
    await send(tenant, ALL);
    await readSession(tenant);
    await removeOldObservations(db, 30);
    expect([await count("recorded_part"), await count("recorded_observation")]).to.deep.equal([1, 2]);
    await removeOldObservations(db, 30, { now: Date.now() + 31 * 86_400_000 });
    expect([await count("recorded_part"), await count("recorded_observation")]).to.deep.equal([0, 0]);
    expect(shape(toEventTree(await readSession(tenant)))).to.deep.equal(WHOLE);
    await send(tenant, [{ ...ROOT, id: "00f067aa0ba902b9", at: 50 }]);
    for (const again of [1, 2]) {
      const tree = toEventTree(await readSession(tenant));
      expect(shape(tree), `read ${again} times`).to.deep.equal([...WHOLE, ["turn", "helper", []]]);
      await send(tenant, [{ ...ROOT, id: "00f067aa0ba902b9", at: 50, parent: "00f067aa0ba902ba" }]);
    }
  });
});

import { expect } from "chai";
import { readStoredTrees, writeOutline } from "../../support/recording/otlp.ts";
import { buildSpansRequest, type TestSpan } from "../../support/recording/telemetry.ts";
import { createOrganization, startSharedServer, type Tenant, waitUntilFolded } from "../../support/server.ts";

const AGENT = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper" };
const TOOL = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
const SERVICES = "{ recordedServices { nodes { id example spans } } }";

/** Exports spans. Returns the message in the response. */
async function send({ url, ingestKey }: Tenant, spans: readonly TestSpan[], service = "demo"): Promise<string> {
  const text = JSON.stringify(buildSpansRequest(spans)).replaceAll('"demo"', JSON.stringify(service));
  const headers = { "Content-Type": "application/json", "x-api-key": ingestKey };
  const response = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: text });
  expect(response.status).to.equal(200);
  const { partialSuccess } = (await response.json()) as { partialSuccess?: { errorMessage: string } };
  return partialSuccess?.errorMessage ?? "";
}

const unknown = (count: number, trace = 1): TestSpan[] =>
  Array.from({ length: count }, (_, at) => ({ id: 100 + at, trace, name: `GET /${at}`, at: { "http.route": "/" } }));

describe("unrecognized spans", () => {
  it("are kept in a trace with a recognized span, and are not parent events", async () => {
    const tenant = await createOrganization();
    const spans: TestSpan[] = [
      { id: 1, name: "POST /ask", at: { "http.route": "/ask" } },
      { id: 2, parent: 1, at: AGENT },
      { id: 3, parent: 2, name: "fetch" },
      { id: 4, parent: 3, at: TOOL },
      { id: 5, parent: 4, at: AGENT },
    ];
    await send(tenant, spans.slice(0, 2));
    for (const span of spans.slice(2)) await send(tenant, [span]);
    const { recordedSessions } = await tenant.gql(
      "{ recordedSessions { nodes { source totals { events turns toolCalls } } } }",
    );
    expect(recordedSessions.nodes).to.deep.equal([{ source: "demo", totals: { events: 5, turns: 1, toolCalls: 1 } }]);
    const trees = await readStoredTrees(tenant.organizationId);
    expect(writeOutline(trees)).to.equal(
      "other POST /ask\nturn helper\n  other fetch\n  tool search\n    subagent helper\n",
    );
    expect(trees[0]?.["metadata"]).to.deep.equal({ "http.route": "/ask" });
  });

  it("of a service without recognized spans are counted, and the first of each hour are kept", async () => {
    const tenant = await createOrganization();
    expect(await send(tenant, unknown(15), "shop")).to.equal("15 spans of service shop told nothing but their names");
    expect(await send(tenant, unknown(15, 2), "shop")).to.include("15 spans of service shop");
    await waitUntilFolded((await startSharedServer()).runtime, tenant.organizationId);
    const { recordedServices } = await tenant.gql(SERVICES);
    expect(recordedServices.nodes).to.deep.equal([{ id: "shop", example: "GET /0", spans: 30 }]);
    const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { totals { events turns } } } }");
    expect(recordedSessions.nodes.map(({ totals }: any) => totals)).to.have.deep.members([
      { events: 15, turns: 0 },
      { events: 5, turns: 0 },
    ]);
  });

  it("are all kept and counted with a key that is set to keep them", async () => {
    const tenant = await createOrganization();
    const { ingestKeys } = (await tenant.rest("GET", "/api/ingest-keys")).body as { ingestKeys: { id: string }[] };
    await tenant.rest("PATCH", `/api/ingest-keys/${ingestKeys[0]?.id}`, { keepUnknownSpans: true });
    expect(await send(tenant, unknown(30), "shop")).to.include("30 spans of service shop");
    const query = "{ recordedSessions { nodes { totals { events } } } recordedServices { nodes { spans } } }";
    const { recordedSessions, recordedServices } = await tenant.gql(query);
    expect([recordedSessions.nodes, recordedServices.nodes]).to.deep.equal([
      [{ totals: { events: 30 } }],
      [{ spans: 30 }],
    ]);
  });

  it("of a recognized service stay in their trace and are not counted", async () => {
    const tenant = await createOrganization();
    await send(tenant, [{ id: 2, at: AGENT }]);
    await waitUntilFolded((await startSharedServer()).runtime, tenant.organizationId);
    expect(await send(tenant, unknown(3, 7))).to.equal("");
    const { recordedServices, recordedSessions } = await tenant.gql(
      "{ recordedServices { nodes { id } } recordedSessions { nodes { totals { events } } } }",
    );
    expect([recordedServices.nodes, recordedSessions.nodes]).to.deep.equal([[], [{ totals: { events: 1 } }]]);
  });

  it("of an agent with a convention of its own only link other spans", async () => {
    const tenant = await createOrganization();
    expect(await send(tenant, unknown(3), "codex_exec")).to.equal("");
    expect((await tenant.gql(SERVICES)).recordedServices.nodes).to.deep.equal([]);
    expect(await readStoredTrees(tenant.organizationId)).to.deep.equal([]);
  });
});

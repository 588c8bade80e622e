import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "chai";
import { createRecorder } from "../../../mcp/capture/recorder.ts";
import { setWarningListener } from "../../../mcp/log.ts";
import { connectHttpClient, connectStdioClient, startMcpHttp } from "../../support/mcp.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

const EVENTS = `query($filter: RecordedEventFilter, $id: String!) {
  recordedSession(id: $id) { events(filter: $filter, first: 200) { nodes { primitiveName parentId args result success latency } } }
}`;

/** Returns the recorded calls of a session as soon as a number of calls exists. */
async function recorded({ graphql }: Tenant, id: string, count: number) {
  for (;;) {
    const { data } = await graphql(EVENTS, { id });
    const nodes = data?.recordedSession.events.nodes ?? [];
    if (nodes.length >= count) return nodes;
    await wait(100);
  }
}

describe("the MCP server's --capture", () => {
  it("records calls under the session and turn that the client names, over stdio and HTTP", async () => {
    const tenant = await createOrganization();
    const stdio = await connectStdioClient(tenant, ["--capture"]);
    const headers = { "x-api-key": tenant.ingestKey };
    const http = await connectHttpClient(await startMcpHttp(tenant.url, ["--capture"]), tenant.apiKey, headers);
    for (const { client } of [stdio, http]) {
      const [session, turn] = [randomUUID(), randomUUID()];
      const _meta = { "dev.trackway/session_id": session, "dev.trackway/turn_id": turn };
      await client.callTool({ name: "list_teams", arguments: { limit: 5 }, _meta });
      await client.callTool({ name: "get_team", arguments: { team: "X" }, _meta });
      const [first, second] = await recorded(tenant, session, 2);
      expect(first).to.include({ primitiveName: "list_teams", parentId: turn, args: `{"limit":5}`, success: true });
      expect(second).to.include({ primitiveName: "get_team", success: false });
    }
  });

  it("records calls over stdio under the process's session by default, and sends the last ones at exit", async () => {
    const tenant = await createOrganization();
    const { client } = await connectStdioClient(tenant, ["--capture"]);
    await client.callTool({ name: "list_teams", arguments: {} });
    await client.close();
    const { recordedSessions } = await tenant.gql(`{ recordedSessions { nodes { totals { toolCalls } } } }`);
    expect(recordedSessions.nodes).to.deep.equal([{ totals: { toolCalls: 1 } }]);
  });

  it("is off by default", async () => {
    const tenant = await createOrganization();
    const { client } = await connectStdioClient(tenant);
    await client.callTool({ name: "list_teams", arguments: {} });
    await client.close();
    expect((await tenant.gql(`{ recordedSessions { nodes { id } } }`)).recordedSessions.nodes).to.deep.equal([]);
  });

  it("drops the newest calls and logs a warning when Trackway is unreachable and the queue is full", async () => {
    const said: string[] = [];
    setWarningListener((text) => said.push(text));
    const recorder = createRecorder("http://127.0.0.1:64999");
    const ids = { key: "sk_x", sessionId: randomUUID(), turnId: undefined };
    const call = { ...ids, tool: "t", args: {}, result: "r", success: true, timestamp: Date.now(), latency: 1 };
    for (let n = 0; n < 3_000; n += 1) recorder.record(call);
    await recorder.close(AbortSignal.timeout(5_000));
    expect(said).to.deep.equal(["capture: the queue was full, 2000 calls were not recorded"]);
  });
});

import { Client as ModernClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "chai";
import { BIN, closeMcp, sharedMcp } from "./support/mcp.ts";
import { freshOrganization, sharedServer, type Tenant } from "./support/server.ts";

const MODERN = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("MCP protocol revisions", () => {
  let tenant: Tenant;

  before(async () => {
    tenant = await freshOrganization();
  });
  after(closeMcp);

  async function post(method: string, params: object, headers: Record<string, string> = {}) {
    const response = await fetch(await sharedMcp((await sharedServer()).url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: tenant.apiKey, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), text, body: () => JSON.parse(text) };
  }
  const modern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post(method, { ...params, _meta: META }, { "mcp-protocol-version": MODERN, "mcp-method": method, ...headers });

  for (const protocolVersion of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it(`serves ${protocolVersion} as the client asks for it`, async () => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
      expect((await post("initialize", params)).body().result).to.include({ protocolVersion });
      const listed = await post("tools/list", {}, { "mcp-protocol-version": protocolVersion });
      expect(listed.body().result).to.have.all.keys("tools");
    });
  }

  it(`a client of the ${MODERN} SDK discovers, lists and calls over HTTP`, async () => {
    const client = new ModernClient({ name: "t", version: "1" }, { versionNegotiation: { mode: { pin: MODERN } } });
    const requestInit = { headers: { authorization: `Bearer ${tenant.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(await sharedMcp(tenant.url)), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).to.equal(MODERN);
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include("list_issues");
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
    expect(structuredContent).to.have.nested.property("user.email", tenant.email);
    await client.close();
  });

  it(`and over stdio`, async () => {
    const client = new ModernClient({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const env = { TRACKER_URL: tenant.url, TRACKER_API_KEY: tenant.apiKey };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN], cwd: "/", env }));
    expect(client.getNegotiatedProtocolVersion()).to.equal(MODERN);
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
    expect(structuredContent).to.have.nested.property("user.email", tenant.email);
    await client.close();
  });

  it("results carry their type, the server's name and, where the revision asks, how long they keep", async () => {
    const { result } = (await modern("tools/list")).body();
    expect(result).to.include({ resultType: "complete", cacheScope: "private", ttlMs: 300_000 });
    expect(result._meta).to.have.nested.property("io\\.modelcontextprotocol/serverInfo.name", "trackway");
    expect((await modern("server/discover")).body().result.supportedVersions).to.deep.equal([MODERN]);
  });

  it("an unknown version names those there are; removed and unknown methods are 404", async () => {
    const version = "1900-01-01";
    const _meta = { ...META, "io.modelcontextprotocol/protocolVersion": version };
    const unknown = await post(
      "tools/list",
      { _meta },
      { "mcp-protocol-version": version, "mcp-method": "tools/list" },
    );
    expect([unknown.status, unknown.body().error.code]).to.deep.equal([400, -32022]);
    expect(unknown.body().error.data).to.deep.include({ requested: version });
    for (const method of ["ping", "initialize", "nonsense"]) {
      const { status, body } = await modern(method);
      expect([status, body().error.code]).to.deep.equal([404, -32601]);
    }
  });

  it("headers that are missing or differ from the body are refused, base64 names understood", async () => {
    const call = { name: "whoami", arguments: {} };
    for (const headers of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "get_team" },
      { "mcp-protocol-version": "2025-11-25" },
    ]) {
      const { status, body } = await modern("tools/call", call, headers);
      expect([status, body().error.code]).to.deep.equal([400, -32020]);
    }
    const encoded = `=?base64?${Buffer.from("whoami").toString("base64")}?=`;
    expect((await modern("tools/call", call, { "mcp-name": encoded })).status).to.equal(200);
  });

  it("missing metadata is -32602 with 400", async () => {
    const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/list" };
    const { "io.modelcontextprotocol/clientCapabilities": _, ...version } = META;
    for (const params of [{}, { _meta: version }]) {
      const { status, body } = await post("tools/list", params, headers);
      expect([status, body().error.code]).to.deep.equal([400, -32602]);
    }
  });

  it("a subscription is acknowledged with nothing in it and closed", async () => {
    const { type, text } = await modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect(type).to.equal("text/event-stream");
    const messages = text.split("\n").filter((line) => line.startsWith("data: "));
    const [acknowledged, closed] = messages.map((line) => JSON.parse(line.slice(6)));
    expect(acknowledged.params).to.deep.include({ notifications: {} });
    expect(closed).to.deep.include({ id: 7 });
  });
});

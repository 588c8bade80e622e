import { Client as Client2026, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "chai";
import { MCP_BIN, startSharedMcp } from "../../support/mcp.ts";
import { createOrganization, startSharedServer, type Tenant } from "../../support/server.ts";

const VERSION_2026 = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION_2026,
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("MCP protocol version", () => {
  let tenant: Tenant;

  before(async () => {
    tenant = await createOrganization();
  });

  async function post(method: string, params: object, headers: Record<string, string> = {}) {
    const response = await fetch(await startSharedMcp((await startSharedServer()).url), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: tenant.apiKey, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), text, body: () => JSON.parse(text) };
  }
  const post2026 = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
    post(
      method,
      { ...params, _meta: META },
      { "mcp-protocol-version": VERSION_2026, "mcp-method": method, ...headers },
    );

  for (const protocolVersion of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    it(`${protocolVersion} is served to a client that asks for it`, async () => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
      expect((await post("initialize", params)).body().result).to.include({ protocolVersion });
      const listed = await post("tools/list", {}, { "mcp-protocol-version": protocolVersion });
      expect(listed.body().result).to.have.all.keys("tools");
    });
  }

  it(`${VERSION_2026} lets the stock client discover, list and call over HTTP`, async () => {
    const client = new Client2026({ name: "t", version: "1" }, { versionNegotiation: { mode: { pin: VERSION_2026 } } });
    const requestInit = { headers: { authorization: `Bearer ${tenant.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(await startSharedMcp(tenant.url)), { requestInit }));
    expect(client.getNegotiatedProtocolVersion()).to.equal(VERSION_2026);
    expect((await client.listTools()).tools.map(({ name }) => name)).to.include("list_issues");
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
    expect(structuredContent).to.have.nested.property("user.email", tenant.email);
    await client.close();
  });

  it(`${VERSION_2026} lets the stock client discover and call over stdio`, async () => {
    const client = new Client2026({ name: "t", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const env = { TRACKER_URL: tenant.url, TRACKER_API_KEY: tenant.apiKey };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [MCP_BIN], cwd: "/", env }));
    expect(client.getNegotiatedProtocolVersion()).to.equal(VERSION_2026);
    const { structuredContent } = await client.callTool({ name: "whoami", arguments: {} });
    expect(structuredContent).to.have.nested.property("user.email", tenant.email);
    await client.close();
  });

  it(`${VERSION_2026} results contain their type, the server's name and caching hints where required`, async () => {
    const { result } = (await post2026("tools/list")).body();
    expect(result).to.include({ resultType: "complete", cacheScope: "private", ttlMs: 300_000 });
    expect(result._meta).to.have.nested.property("io\\.modelcontextprotocol/serverInfo.name", "trackway");
    expect((await post2026("server/discover")).body().result.supportedVersions).to.deep.equal([VERSION_2026]);
  });

  it(`${VERSION_2026} responds to an unknown version with the supported ones, and to unknown methods with 404`, async () => {
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
      const { status, body } = await post2026(method);
      expect([status, body().error.code]).to.deep.equal([404, -32601]);
    }
  });

  it(`${VERSION_2026} refuses headers that are missing or differ from the body, and decodes base64 names`, async () => {
    const call = { name: "whoami", arguments: {} };
    for (const headers of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "get_team" },
      { "mcp-protocol-version": "2025-11-25" },
    ]) {
      const { status, body } = await post2026("tools/call", call, headers);
      expect([status, body().error.code]).to.deep.equal([400, -32020]);
    }
    const encoded = `=?base64?${Buffer.from("whoami").toString("base64")}?=`;
    expect((await post2026("tools/call", call, { "mcp-name": encoded })).status).to.equal(200);
  });

  it(`${VERSION_2026} responds to missing request metadata with -32602 and 400`, async () => {
    const headers = { "mcp-protocol-version": VERSION_2026, "mcp-method": "tools/list" };
    const { "io.modelcontextprotocol/clientCapabilities": _, ...version } = META;
    for (const params of [{}, { _meta: version }]) {
      const { status, body } = await post("tools/list", params, headers);
      expect([status, body().error.code]).to.deep.equal([400, -32602]);
    }
  });

  it(`${VERSION_2026} acknowledges an empty subscription, and closes it`, async () => {
    const { type, text } = await post2026("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect(type).to.equal("text/event-stream");
    const messages = text.split("\n").filter((line) => line.startsWith("data: "));
    const [acknowledged, closed] = messages.map((line) => JSON.parse(line.slice(6)));
    expect(acknowledged.params).to.deep.include({ notifications: {} });
    expect(closed).to.deep.include({ id: 7 });
  });
});

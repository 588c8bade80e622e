import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { connectSharedClient, type McpClient, startMcpHttp, startSharedMcp } from "../../support/mcp.ts";
import { createOrganization, startSharedServer } from "../../support/server.ts";

const KEY = `trk_api_${"0".repeat(40)}`;
const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

interface Sent {
  body?: unknown;
  headers?: Record<string, string>;
  method?: string;
  path?: string;
}

describe("the MCP server over HTTP", () => {
  let address: string;

  before(async () => {
    address = await startSharedMcp((await startSharedServer()).url);
  });

  async function send({ body = LIST, headers = {}, method = "POST", path = "" }: Sent, to = address) {
    const response = await fetch(new URL(path, to), {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}`, ...headers },
      ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  }
  const toolNames = async (sent: Sent, to = address) =>
    (await send(sent, to)).body.result.tools.map(({ name }: { name: string }) => name);

  it("responds to a missing or malformed key with 401 and a Bearer challenge, before it reads the body", async () => {
    for (const authorization of ["", "Bearer nonsense"]) {
      const { status, headers } = await send({ headers: { authorization }, body: "not json" });
      expect(status).to.equal(401);
      expect(headers.get("www-authenticate")).to.match(/^Bearer/);
    }
  });

  it("responds to an unknown key with 401, at the first request and at every call", async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    expect((await send({ body: { ...LIST, method: "initialize", params } })).status).to.equal(401);
    expect((await send({ body: { ...LIST, method: "tools/call", params: { name: "whoami" } } })).status).to.equal(401);
  });

  it("distinguishes a missing, a malformed and a refused key in the message of the 401", async () => {
    const sentence = async (authorization: string) => {
      const params = { name: "whoami" };
      const { status, headers, body } = await send({
        headers: { authorization },
        body: { ...LIST, method: "tools/call", params },
      });
      return [status, headers.get("www-authenticate"), body.error.message];
    };
    const metadata = new URL("/.well-known/oauth-protected-resource/mcp", address);
    const way = `resource_metadata="${metadata}", scope="read write"`;
    const invalid = `Bearer error="invalid_token", ${way}`;
    const create = "Create a key on /settings or with POST /api/api-keys.";
    const malformed =
      "The Authorization header contains no personal API key. A key is trk_api_ followed by 40 hexadecimal digits.";
    for (const authorization of ["", "Bearer", "Bearer "])
      expect(await sentence(authorization)).to.deep.equal([
        401,
        `Bearer ${way}`,
        "Send a personal API key: Authorization: Bearer trk_api_…",
      ]);
    for (const authorization of ["Bearer nonsense", "Basic dTpw", `Bearer ${KEY}0`])
      expect(await sentence(authorization)).to.deep.equal([401, invalid, `${malformed} ${create}`]);
    const refused = "Trackway refused this API key: it is unknown or deleted.";
    expect(await sentence(`Bearer ${KEY}`)).to.deep.equal([401, invalid, `${refused} ${create}`]);
  });

  it("responds to a batch with an array, also for one request", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    for (const batch of [[LIST], [LIST, notification], [LIST, { ...LIST, id: 2 }]]) {
      const { status, body } = await send({ body: batch });
      const ids = batch.flatMap((message) => ("id" in message ? [message.id] : []));
      expect([status, body.map(({ id }: { id: number }) => id)]).to.deep.equal([200, ids]);
    }
  });

  it("serves a client whose Accept names only JSON, or is absent", async () => {
    for (const accept of ["application/json", "*/*", ""])
      expect((await send({ headers: { accept } })).status).to.equal(200);
  });

  it("accepts the key with or without Bearer", async () => {
    expect((await send({ headers: { authorization: KEY } })).status).to.equal(200);
  });

  it("responds to GET and DELETE with 405 and Allow, and to other paths, such as /.well-known, with a JSON 404", async () => {
    for (const method of ["GET", "DELETE"]) {
      const { status, headers } = await send({ method });
      expect([status, headers.get("allow")]).to.deep.equal([405, "POST, OPTIONS"]);
    }
    const { status, body } = await send({ method: "GET", path: "/.well-known/oauth-authorization-server" });
    expect([status, body.error.code]).to.deep.equal([404, -32600]);
  });

  it("keeps an idle connection longer than proxies and clients do, so no call meets a closing connection", async () => {
    const { url } = await startSharedServer();
    for (const { headers } of [await send({}), await fetch(`${url}/api/health`)])
      expect(headers.get("keep-alive")).to.equal("timeout=65");
  });

  it("responds to a foreign Origin or Host with 403", async () => {
    expect((await send({ headers: { origin: "https://evil.example" } })).status).to.equal(403);
    expect((await send({ headers: { origin: "http://localhost:6274" } })).status).to.equal(200);
    const { hostname, port } = new URL(address);
    const { request } = await import("node:http");
    const status = await new Promise((resolve) =>
      request({ hostname, port, path: "/mcp", method: "POST", headers: { host: "evil.example" } }, (response) =>
        resolve(response.statusCode),
      ).end(),
    );
    expect(status).to.equal(403);
  });

  it("responds to another content type with 415, bad JSON with a parse error, a long body with 413, a notification with 202", async () => {
    expect((await send({ headers: { "content-type": "text/plain" } })).status).to.equal(415);
    const bad = await send({ body: "{" });
    expect([bad.status, bad.body.error.code]).to.deep.equal([400, -32700]);
    expect((await send({ body: `"${"x".repeat(4 * 1024 * 1024)}"` })).status).to.equal(413);
    expect((await send({ body: { jsonrpc: "2.0", method: "notifications/initialized" } })).status).to.equal(202);
  });

  it("refuses a body of too many values or levels with 400 and the limit before parsing, at any position", async () => {
    const filled = (one: string) => one.repeat(Math.floor((4 * 1024 * 1024 - 200) / one.length));
    const members = Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`).join();
    const call = (argumentsText: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":${argumentsText}}}`;
    const wide = [
      `[${filled("1,")}1]`,
      `[${filled("[],")}[]]`,
      `[${filled("{},")}1]`,
      call(`{${members}}`),
      call(`[${filled('"",')}1]`),
    ];
    const deep = [
      filled("["),
      filled('{"a":'),
      call(`{"a":${"[".repeat(100)}${"]".repeat(100)}}`),
      filled("[{}],[").slice(1),
    ];
    for (const [bodies, sentence] of [
      [wide, /^The body holds more than 65536 values; /],
      [deep, /^The body (nests deeper than 64 levels|holds more than 65536 values); /],
    ] as const)
      for (const body of bodies) {
        const reply = await send({ body });
        expect([reply.status, reply.body.error.code], body.slice(0, 120)).to.deep.equal([400, -32600]);
        expect(reply.body.error.message).to.match(sentence);
      }
  });

  it("accepts a body whose strings contain too many brackets and commas", async () => {
    for (const text of [
      "[".repeat(1_000),
      ",".repeat(70_000),
      '"],['.repeat(20_000),
      '\\"['.repeat(20_000),
      "{\n".repeat(70_000),
    ]) {
      const params = { name: "whoami", arguments: {}, _meta: { text, list: Array(60_000).fill(1) } };
      const { status, body } = await send({ body: { ...LIST, method: "ping", params } });
      expect([status, body.result]).to.deep.equal([200, {}]);
    }
  });

  it("responds to an unknown tool with -32602 and to an unknown method with -32601", async () => {
    const call = await send({ body: { ...LIST, method: "tools/call", params: { name: "nonsense" } } });
    expect(call.body.error).to.include({ code: -32602 });
    expect(call.body.error.message).to.match(/^Unknown tool: nonsense\. There are: list_teams, /);
    expect((await send({ body: { ...LIST, method: "nonsense" } })).body.error.code).to.equal(-32601);
  });

  it("lets a request select tools by header or query, and refuses unknown names", async () => {
    expect(await toolNames({ headers: { "x-mcp-tools": "whoami,list_teams" } })).to.have.members([
      "whoami",
      "list_teams",
    ]);
    expect(await toolNames({ path: "?toolsets=bulk" })).to.deep.equal(["update_issues"]);
    expect(await toolNames({ headers: { "x-mcp-readonly": "true" } })).to.not.include("create_issue");
    expect((await send({ path: "?toolsets=nonsense" })).status).to.equal(400);
  });

  it("lets no request exceed the permissions of the process", async () => {
    const narrow = await startMcpHttp((await startSharedServer()).url, ["--toolsets", "core", "--read-only"]);
    const names = await toolNames({ path: "?toolsets=all&read_only=0" }, narrow);
    expect(names).to.include("list_issues").and.not.include("create_issue").and.not.include("list_sessions");
  });

  /** Repeats a call while the result says that the server is busy with other calls. */
  const answered = async (client: McpClient) => {
    for (let tries = 1; ; tries += 1) {
      const answer = await client.call("whoami");
      if (!answer.isError || tries === 10) return answer;
      await sleep(1_000);
    }
  };
  it("never mixes two keys in 50 concurrent calls each", async () => {
    const tenants = await Promise.all([createOrganization(), createOrganization()]);
    const clients = await Promise.all(tenants.map((tenant) => connectSharedClient(tenant)));
    const calls = Array.from({ length: 100 }, async (_, n) => {
      const { data, text } = await answered(clients[n % 2] as McpClient);
      expect(data, text).to.be.an("object");
      return data.user.email === tenants[n % 2]?.email;
    });
    expect(await Promise.all(calls)).to.deep.equal(Array(100).fill(true));
  });

  it("never uses the keys of its own environment", async () => {
    expect((await send({ headers: { authorization: "" } })).status).to.equal(401);
  });
});

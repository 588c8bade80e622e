import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { hostRule } from "../../server/auth/origin.ts";
import { readConfig } from "../../server/config.ts";
import { controlPaths } from "../../server/control/index.ts";
import { assetPaths } from "../../server/graphql/http/graphiql.ts";
import { ingestPaths } from "../../server/ingest/middleware.ts";
import { oauthPaths } from "../../server/oauth/middleware.ts";
import { webPaths } from "../../server/web/paths.ts";
import { runs } from "../support/run/runs.ts";
import { freshOrganization, startServer, type Tenant } from "../support/server.ts";

const SOCKET = "/socket.io/?EIO=4&transport=polling";
const PATHS = [
  ...[...controlPaths, ...assetPaths, ...ingestPaths, ...oauthPaths, ...webPaths],
  ...["/graphql", "/metrics", "/nothing", SOCKET],
].map((path) => path.replace(/:\w+/g, "0198c0de-0000-7000-8000-000000000001"));

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** The answer to a request that names this host. */
function answerTo(url: string, host: string, { method = "GET", path = "/api/health/live", headers = {} }: Sent = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = httpRequest(url + path, { method, headers: { ...headers, host }, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (piece) => {
        body += piece;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.once("error", reject).end();
  });
}

/** The first line that a server answers raw bytes with. */
const firstLine = (url: string, text: string) =>
  new Promise<string>((resolve, reject) => {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.once("error", reject).once("data", (bytes) => {
      resolve(String(bytes).split("\r\n", 1)[0] ?? "");
      socket.destroy();
    });
  });

describe("a request for another host", function () {
  this.timeout(60_000);
  let tenant: Tenant;
  before(async () => {
    tenant = await freshOrganization();
  });
  const FOREIGN = "evil.example:4000";

  it("is refused at every path and by every method, with a good key too: a page whose name was bound to this address gets nothing", async () => {
    const headers = { authorization: tenant.apiKey, "x-api-key": tenant.ingestKey };
    const served: string[] = [];
    for (const path of PATHS)
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { status, body } = await answerTo(tenant.url, FOREIGN, { method, path, headers });
        // The library of sockets refuses other methods by itself.
        const refused = path === SOCKET && method !== "GET" ? 400 : 403;
        if (status !== refused || body.includes("<html")) served.push(`${method} ${path} ${status}`);
      }
    expect(PATHS.length).to.be.greaterThan(60);
    expect(served).to.deep.equal([]);
  });

  it("is told which variables say otherwise", async () => {
    const { body } = await answerTo(tenant.url, FOREIGN);
    expect(JSON.parse(body)).to.include({ code: "foreign_host" });
    expect(JSON.parse(body).error).to.contain("PUBLIC_URL").and.contain("ALLOWED_HOSTS");
    expect(JSON.parse(body).request_id).to.be.a("string");
  });

  it("opens no WebSocket", async () => {
    const upgrade = (host: string) =>
      [
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1",
        `Host: ${host}`,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEC==\r\n\r\n",
      ].join("\r\n");
    const { port } = new URL(tenant.url);
    expect(await firstLine(tenant.url, upgrade(FOREIGN))).to.match(/^HTTP\/1.1 40[03] /);
    expect(await firstLine(tenant.url, upgrade(`127.0.0.1:${port}`))).to.match(/^HTTP\/1.1 101 /);
  });

  it("is none under the names of this computer, with any port, or where an old client names no host", async () => {
    for (const host of [
      "127.0.0.1",
      "127.0.0.1:1",
      "LOCALHOST:4000",
      "[::1]:4000",
      "localhost",
      new URL(tenant.url).host,
    ])
      expect([host, (await answerTo(tenant.url, host)).status]).to.deep.equal([host, 200]);
    expect(await firstLine(tenant.url, "GET /api/health/live HTTP/1.0\r\n\r\n")).to.equal("HTTP/1.1 200 OK");
  });

  it("is served where the server is behind a proxy: the host of PUBLIC_URL, those of ALLOWED_HOSTS, and no other", async () => {
    const { url } = await startServer({
      DATABASE_URL: "",
      PUBLIC_URL: "https://tracker.example.com/",
      ALLOWED_HOSTS: "other.example.com, [fd00::1]",
    });
    const statuses = await Promise.all(
      ["tracker.example.com", "other.example.com:8443", "[fd00::1]:80", "127.0.0.1", "evil.example"].map(
        async (host) => (await answerTo(url, host)).status,
      ),
    );
    expect(statuses).to.deep.equal([200, 200, 200, 200, 403]);
  });

  it("is refused by one rule: on loopback, or where ALLOWED_HOSTS is set; never one that is configured", () => {
    const host = fc.constantFrom(
      "evil.example",
      "tracker.example.com",
      "127.0.0.1",
      "localhost",
      "10.0.0.5",
      "a..b",
      "",
    );
    const bound = fc.constantFrom("127.0.0.1", "localhost", "::1", "127.0.0.53", "0.0.0.0", "::", "10.0.0.5");
    const allowed = fc.constantFrom(undefined, "tracker.example.com", "*", "x.example,evil.example");
    const named = fc.constantFrom(undefined, "https://tracker.example.com:8443/x");
    fc.assert(
      fc.property(host, bound, allowed, named, (asked, HOST, ALLOWED_HOSTS, PUBLIC_URL) => {
        const env = { HOST, ...(ALLOWED_HOSTS && { ALLOWED_HOSTS }), ...(PUBLIC_URL && { PUBLIC_URL }) };
        const local = /^(127\.|localhost|::1)/.test(HOST);
        const checked = local || (ALLOWED_HOSTS !== undefined && ALLOWED_HOSTS !== "*");
        const known = [
          ...["127.0.0.1", "localhost", "", HOST],
          ...(ALLOWED_HOSTS?.split(",") ?? []),
          ...(PUBLIC_URL ? ["tracker.example.com"] : []),
        ];
        const expected = !checked || ALLOWED_HOSTS === "*" || known.includes(asked);
        const headers = asked === "" ? {} : { host: `${asked}:4000` };
        expect(hostRule(readConfig(env))({ headers } as never), JSON.stringify({ asked, ...env })).to.equal(expected);
      }),
      { numRuns: runs(400) },
    );
  });
});

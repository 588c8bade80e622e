import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { createHostHeaderCheck } from "../../server/auth/origin.ts";
import { readConfig } from "../../server/config.ts";
import { controlPaths } from "../../server/control/index.ts";
import { graphiqlAssetPaths } from "../../server/graphql/http/graphiql.ts";
import { ingestPaths } from "../../server/ingest/middleware.ts";
import { oauthPaths } from "../../server/oauth/middleware.ts";
import { WEB_ROUTE_PATTERNS } from "../../server/web/paths.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";

const SOCKET = "/socket.io/?EIO=4&transport=polling";
const PATHS = [
  ...[...controlPaths, ...graphiqlAssetPaths, ...ingestPaths, ...oauthPaths, ...WEB_ROUTE_PATTERNS],
  ...["/graphql", "/metrics", "/nothing", SOCKET],
].map((path) => path.replace(/:\w+/g, "0198c0de-0000-7000-8000-000000000001"));

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

/** Returns the response to a request with this Host header. */
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

/** Returns the first line of the response to raw bytes. */
const firstLine = (url: string, text: string) =>
  new Promise<string>((resolve, reject) => {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.once("error", reject).once("data", (bytes) => {
      resolve(String(bytes).split("\r\n", 1)[0] ?? "");
      socket.destroy();
    });
  });

describe("the check of the Host header (DNS rebinding)", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });
  const FOREIGN = "evil.example:4000";

  it("refuses a foreign host at every path and for every method, also with a valid key", async () => {
    const headers = { authorization: tenant.apiKey, "x-api-key": tenant.ingestKey };
    const served: string[] = [];
    for (const path of PATHS)
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { status, body } = await answerTo(tenant.url, FOREIGN, { method, path, headers });
        // For other methods, the socket library itself refuses the request with 400.
        const refused = path === SOCKET && method !== "GET" ? 400 : 403;
        if (status !== refused || body.includes("<html")) served.push(`${method} ${path} ${status}`);
      }
    expect(PATHS.length).to.be.greaterThan(60);
    expect(served).to.deep.equal([]);
  });

  it("names the variables to change in its error", async () => {
    const { body } = await answerTo(tenant.url, FOREIGN);
    expect(JSON.parse(body)).to.include({ code: "foreign_host" });
    expect(JSON.parse(body).error).to.contain("PUBLIC_URL").and.contain("ALLOWED_HOSTS");
    expect(JSON.parse(body).request_id).to.be.a("string");
  });

  it("refuses a WebSocket for a foreign host", async () => {
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

  it("accepts names of this computer with any port, and requests without a Host", async () => {
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

  it("accepts, behind a proxy, only the hosts of PUBLIC_URL and ALLOWED_HOSTS and loopback", async () => {
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

  it("applies on loopback or with ALLOWED_HOSTS, and never refuses a configured host", () => {
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
    const named = fc.constantFrom(undefined, "https://tracker.example.com:8443/");
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
        expect(
          createHostHeaderCheck(readConfig(env))({ headers } as never),
          JSON.stringify({ asked, ...env }),
        ).to.equal(expected);
      }),
      { numRuns: scaleRuns(400) },
    );
  });
});

import { connect } from "node:net";
import { expect } from "chai";
import fc from "fast-check";
import { startMcpHttp } from "../support/mcp.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization, startServer } from "../support/server.ts";

/** Sends a request with these bytes. Returns the status and body of the response. */
const answerTo = (url: string, head: string, body = "") =>
  new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { port, hostname } = new URL(url);
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`));
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.once("error", reject).once("end", () => {
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), body: text.split("\r\n\r\n")[1] ?? "" });
      socket.destroy();
    });
  });

describe("a request target in absolute form", () => {
  let servers: { url: string; path: string }[];
  before(async () => {
    const app = await startServer();
    const mcp = new URL(await startMcpHttp(app.url)).origin;
    servers = [
      { url: app.url, path: "/api/health/live" },
      { url: mcp, path: "/health" },
    ];
  });

  it("is served as its path on both servers, for any Host header", async () => {
    for (const { url, path } of servers) {
      for (const host of [new URL(url).host, "evil.example", ""]) {
        const { status } = await answerTo(url, `GET ${url}${path} HTTP/1.1\r\nHost: ${host}`);
        expect(status, `${url} ${host}`).to.equal(200);
      }
    }
  });

  it("is checked for its host like the Host header, in any spelling", async () => {
    const foreign = fc.constantFrom("evil.example", "127.0.0.1.evil.example", "evil.example:80", "[2001:db8::1]:9");
    const scheme = fc.constantFrom("http", "HTTP", "https");
    await fc.assert(
      fc.asyncProperty(foreign, scheme, fc.constantFrom(0, 1), async (host, kind, at) => {
        const { url, path } = servers[at] ?? { url: "", path: "" };
        const own = new URL(url).host;
        const byHeader = await answerTo(url, `GET ${path} HTTP/1.1\r\nHost: ${host}`);
        const byTarget = await answerTo(url, `GET ${kind}://${host}${path} HTTP/1.1\r\nHost: ${own}`);
        expect([byHeader.status, byTarget.status]).to.deep.equal([403, 403]);
      }),
      { numRuns: scaleRuns(40) },
    );
  });

  it("is refused with 400 without a path or a host", async () => {
    for (const { url } of servers) {
      const host = `Host: ${new URL(url).host}`;
      for (const target of ["http://", "nowhere", "http:///path", "http://user:pw@127.0.0.1/", "ftp://x/"])
        expect((await answerTo(url, `GET ${target} HTTP/1.1\r\n${host}`)).status, target).to.equal(400);
    }
  });

  it("reaches GraphQL, ingestion and sockets of the main server", async () => {
    const { url, apiKey } = await createOrganization();
    const body = JSON.stringify({ query: "{ viewer { id } }" });
    const head = `POST ${url}/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    const { status, body: got } = await answerTo(url, head, body);
    expect([status, typeof JSON.parse(got).data.viewer.id]).to.deep.equal([200, "string"]);
    expect((await answerTo(url, `GET ${url}/socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x`)).status).to.equal(
      200,
    );
    const upgrade = "Upgrade: h2c\r\nConnection: Upgrade";
    const put = await answerTo(
      url,
      `GET http://evil.example/api/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n${upgrade}`,
    );
    expect(put.status).to.equal(403);
  });
});

import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { WebSocket } from "ws";
import type { App } from "../../server/app.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";
import {
  hasBrowser,
  openContext,
  openWatchedPage,
  releaseContexts,
  startSharedBrowser,
} from "../support/web/browser.ts";

const LISTED = "https://app.example.com";
const FOREIGN = ["https://evil.example", "https://app.example.com.evil.example", "http://app.example.com", "null"];
const SOCKET = "/socket.io/?EIO=4&transport=polling";
const EXPOSED = [
  "Retry-After",
  "X-Request-Id",
  "X-Complexity",
  ...["Requests", "Complexity"].flatMap((name) =>
    ["Limit", "Remaining", "Reset"].map((part) => `X-RateLimit-${name}-${part}`),
  ),
];

/** Opens a WebSocket as a page of that origin does. Returns 101, or the status of the refusal. */
const upgrade = (url: string, origin?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`, {
      ...(origin && { origin }),
    });
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_, response) => resolve(response.statusCode));
    socket.once("error", reject);
    socket.once("open", () => socket.close());
  });

const preflight = (url: string, origin: string) =>
  fetch(url, {
    method: "OPTIONS",
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
    },
  });

const allowed = (response: Response) => response.headers.get("Access-Control-Allow-Origin");

describe("CORS for pages of other origins", () => {
  let closed: App;
  let listed: App;
  let tenant: Tenant;
  let browser: Browser | undefined;
  before(async () => {
    closed = await startServer();
    listed = await startServer({ CORS_ORIGINS: `${LISTED}, http://localhost:5173` });
    tenant = await createOrganization(listed);
  });
  after(() => releaseContexts(browser));

  /** Sends one request to each of the three APIs, as a page of that origin does. */
  const requests = (url: string, origin: string) =>
    Promise.all([
      fetch(`${url}/graphql?query={viewer{id}}`, { headers: { Origin: origin, Authorization: tenant.apiKey } }),
      fetch(`${url}/api/members`, { headers: { Origin: origin, Authorization: `Bearer ${tenant.accessToken}` } }),
      fetch(url + SOCKET, { headers: { Origin: origin } }),
    ]);

  it("allows listed origins, and no others, for GraphQL, the control plane and realtime", async () => {
    for (const origin of [LISTED, "http://localhost:5173"]) {
      const answers = await requests(listed.url, origin);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(answers.map(allowed)).to.deep.equal([origin, origin, origin]);
      expect(await upgrade(listed.url, origin)).to.equal(101);
    }
    for (const [app, origins] of [
      [listed, FOREIGN],
      [closed, [LISTED, ...FOREIGN]],
    ] as const) {
      for (const origin of origins) {
        const answers = await requests(app.url, origin);
        expect(answers.map(allowed), origin).to.deep.equal([null, null, null]);
        expect(answers[2]?.status, origin).to.equal(403);
        expect(await upgrade(app.url, origin), origin).to.equal(400);
      }
    }
  });

  it("responds to preflights with methods and headers, for every path of the three APIs", async () => {
    for (const path of ["/graphql", "/api/auth/login", "/api/members", SOCKET]) {
      const answer = await preflight(listed.url + path, LISTED);
      expect(answer.status, path).to.equal(204);
      expect(allowed(answer), path).to.equal(LISTED);
      expect(answer.headers.get("Access-Control-Allow-Methods")?.split(","), path).to.include.members([
        "GET",
        "POST",
        "PATCH",
        "DELETE",
      ]);
      expect(answer.headers.get("Access-Control-Allow-Headers"), path).to.match(/authorization.*idempotency-key/);
      expect(Number(answer.headers.get("Access-Control-Max-Age")), path).to.be.within(1, 3_600);
      expect(allowed(await preflight(listed.url + path, "https://evil.example")), path).to.equal(null);
      expect(allowed(await preflight(closed.url + path, LISTED)), path).to.equal(null);
    }
    // The server responds as before to an OPTIONS request that is no preflight.
    expect((await fetch(`${listed.url}/api/members`, { method: "OPTIONS" })).status).to.equal(405);
  });

  it("exposes the limits and the request id of every response, allows no cookies, and varies caches by origin", async () => {
    const failing = await fetch(`${listed.url}/graphql?query={`, { headers: { Origin: LISTED } });
    const answers = [...(await requests(listed.url, LISTED)), failing];
    for (const answer of answers) {
      expect(answer.headers.get("Access-Control-Expose-Headers")?.split(",")).to.include.members(EXPOSED);
      expect(answer.headers.get("Access-Control-Allow-Credentials")).to.equal(null);
    }
    for (const answer of [...answers, ...(await requests(listed.url, "https://evil.example"))])
      expect(answer.headers.get("Vary")).to.match(/(^|, *)Origin\b/);
    const named = [...(answers[0]?.headers.keys() ?? [])].filter((name) =>
      /^(x-ratelimit|x-complexity|x-request)/.test(name),
    );
    expect(EXPOSED.map((name) => name.toLowerCase())).to.include.members(named);
  });

  it("does not affect the server's own origin in any notation, nor clients without an Origin header", async () => {
    const named = await startServer({
      PUBLIC_URL: "https://tracker.example.com",
      ALLOWED_HOSTS: "behind.example.com",
    });
    const { port } = new URL(named.url);
    expect(await upgrade(named.url, "https://tracker.example.com")).to.equal(101);
    expect(await upgrade(`http://localhost:${port}`, `http://localhost:${port}`)).to.equal(101);
    expect(await upgrade(named.url)).to.equal(101);
    const status = await new Promise((resolve) => {
      const headers = { Host: "behind.example.com", Origin: "https://behind.example.com" };
      get(named.url + SOCKET, { headers }, (response) => resolve(response.resume().statusCode));
    });
    expect(status).to.equal(200);
  });

  it("never applies to the capture endpoints, because a page must not contain an ingest key", async () => {
    const answer = await preflight(`${listed.url}/api/v1/capture-events`, LISTED);
    expect([answer.status, allowed(answer)]).to.deep.equal([405, null]);
  });

  it("allows every origin with CORS_ORIGINS=*, without credentials", async () => {
    const open = await startServer({ CORS_ORIGINS: "*" });
    const answers = await requests(open.url, "https://anyone.example");
    expect(answers.map(allowed)).to.deep.equal(["*", "*", "*"]);
    expect(answers.map(({ headers }) => headers.get("Access-Control-Allow-Credentials"))).to.deep.equal([
      null,
      null,
      null,
    ]);
    expect(await upgrade(open.url, "https://anyone.example")).to.equal(101);
  });

  it("works in a browser for listed origins only", async function () {
    if (!hasBrowser()) return this.skip();
    const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<p>page</p>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open = await startServer({ CORS_ORIGINS: origin });
    const { apiKey, accessToken } = await createOrganization(open);
    browser = await startSharedBrowser();
    const { page } = await openWatchedPage(await openContext(browser), origin);
    await page.goto(origin);
    const seen = (url: string) => page.evaluate(`(${IN_PAGE})(${JSON.stringify({ url, apiKey, accessToken })})`);
    try {
      expect(await seen(open.url)).to.deep.equal([200, true, 200, "open"]);
      expect(await seen(closed.url)).to.deep.equal(["TypeError", null, "TypeError", "closed"]);
    } finally {
      server.close();
    }
  });
});

/** Runs in the page, as text: a query, reading a limit's header, a request to the control plane, a socket. */
const IN_PAGE = `async ({ url, apiKey, accessToken }) => {
  const send = (path, init) => fetch(url + path, init).catch((error) => error);
  const query = await send("/graphql", {
    method: "POST",
    headers: { Authorization: apiKey, "Content-Type": "application/json" },
    body: '{"query":"{ viewer { id } }"}',
  });
  const members = await send("/api/members", { headers: { Authorization: "Bearer " + accessToken } });
  const socket = await new Promise((resolve) => {
    const it = new WebSocket(url.replace("http", "ws") + "/socket.io/?EIO=4&transport=websocket");
    it.onopen = () => resolve("open");
    it.onerror = () => resolve("closed");
  });
  const limit = query.headers?.has("X-RateLimit-Requests-Remaining") ?? null;
  return [query.status ?? query.name, limit, members.status ?? members.name, socket];
}`;

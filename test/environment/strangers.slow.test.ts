import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { sendGraphqlRequest } from "../../cli/api/graphql.ts";
import { CommandFailure } from "../../cli/failure.ts";
import { createGraphqlClient } from "../../mcp/api/graphql.ts";
import { ToolError } from "../../mcp/errors.ts";
import { createCliUser } from "../support/cli/cli.ts";
import type { CommandResult } from "../support/cli/cli-run.ts";
import { MCP_BIN, startMcpHttp } from "../support/mcp.ts";
import { startServer } from "../support/server.ts";

const KEY = `trk_api_${"0".repeat(40)}`;
const INGEST = `sk_${"0".repeat(64)}`;
const BODIES = [
  ...[
    "null",
    "{}",
    "[]",
    "0",
    '""',
    "true",
    "",
    "<html>Welcome</html>",
    '{"data":null}',
    '{"data":[]}',
    '{"data":"x"}',
  ],
  ...['{"error":{"code":-32600,"message":"There is nothing here."}}', '{"error":404}', '{"error":["x"]}'],
  ...[
    '{"errors":"no"}',
    '{"errors":[]}',
    '{"errors":[null]}',
    '{"errors":{"a":1}}',
    '{"errors":[{"message":{"a":1}}]}',
  ],
  ...['{"errors":[{"message":1,"extensions":"x"}]}', '{"issues":"x","error":""}', '{"status":{},"version":1}'],
];
const STATUSES = [200, 201, 301, 307, 400, 401, 403, 404, 418, 500, 502, 503];

/** Starts a server on a free port that responds as the test specifies. */
async function stranger(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Runs `check` of the MCP server. */
async function check(url: string): Promise<CommandResult> {
  const env = { PATH: process.env["PATH"], TRACKER_URL: url, TRACKER_API_KEY: KEY, TRACKER_INGEST_KEY: INGEST };
  const child = spawn(process.execPath, [MCP_BIN, "check"], { env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

const STACK = /^ {4}at |TypeError|SyntaxError/m;

function shouldBeOneLine({ code, stdout, stderr }: CommandResult, what: string): void {
  expect(code, what).to.be.within(1, 5);
  expect(stdout, what).to.equal("");
  expect(stderr, what).to.match(/^trackway: [^\n]+\n$/);
  expect(stderr, what).to.not.match(STACK);
}

function shouldFail({ code, stdout, stderr }: CommandResult, what: string): void {
  expect([code, stderr], what).to.deep.equal([1, ""]);
  expect(stdout, what).to.match(/^(?:(?:ok {2}|FAIL) [^\n]+\n){3}$/);
  expect(stdout, what).to.not.match(STACK);
  expect(stdout.match(/^FAIL/gm), what).to.have.lengthOf(3);
}

/** Lists every place in a JSON value as a path of members. */
const placesIn = (value: unknown, path: string[] = []): string[][] => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))
    : []),
];

/** Copies a JSON value with a different value at a place; `undefined` removes the member. */
function withAt(value: unknown, [name, ...rest]: string[], other: unknown): unknown {
  if (name === undefined) return other;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = (value as Record<string, unknown>)[name];
  Object.assign(copy, { [name]: withAt(inner, rest, other) });
  return copy;
}

const OTHERS: readonly unknown[] = [null, true, 7, "text", [], {}, [1], { a: 1 }, undefined];
const typeOf = (value: unknown) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

describe("the response of a server that is not Trackway", function () {
  this.timeout(600_000);
  let answer: RequestListener = (_, response) => response.end();
  let url = "";
  let server: Server;
  before(async () => {
    ({ url, server } = await stranger((request, response) => answer(request, response)));
  });
  after(() => void server.close());

  it("gives one line of the command line and an exit code, for each body and status", async () => {
    const person = createCliUser();
    const env = { TRACKWAY_URL: url, TRACKWAY_API_KEY: KEY };
    for (const body of BODIES) {
      for (const status of STATUSES) {
        answer = (_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body);
        shouldBeOneLine(await person.run(["whoami"], { env }), `${status} ${body}`);
      }
    }
    answer = (_, response) => response.end("{}");
    for (const args of [["login", url, "--email", "a@example.com", "--password-stdin"], ["list"], ["ready", "--claim"]])
      shouldBeOneLine(
        await person.run(args, { env: args[0] === "login" ? {} : env, input: "password" }),
        args.join(" "),
      );
  });

  it("gives a FAIL for each part of MCP's check, for bodies from public bug reports and others", async () => {
    for (const body of BODIES.filter((_, at) => at % 2 === 0)) {
      for (const status of [200, 404]) {
        answer = (_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body);
        shouldFail(await check(url), `${status} ${body}`);
      }
    }
  });

  it("that redirects is reported, and receives no key", async () => {
    const asked: string[] = [];
    const other = await stranger((request, response) => {
      asked.push(String(request.url));
      response.end('{"status":"ok","version":"1"}');
    });
    answer = ({ url: path }, response) =>
      response.writeHead(path === "/graphql" ? 308 : 301, { location: `${other.url}${path}?token=secret` }).end();
    const ran = await createCliUser().run(["whoami"], { env: { TRACKWAY_URL: url, TRACKWAY_API_KEY: KEY } });
    shouldBeOneLine(ran, "a redirect");
    expect(ran.stderr).to.contain(`redirects to ${other.url}/graphql.`);
    const checked = await check(url);
    shouldFail(checked, "a redirect");
    expect(checked.stdout).to.contain(`redirects to ${other.url}/api/health.`);
    expect(ran.stderr + checked.stdout).to.not.contain("secret");
    expect(asked).to.deep.equal([]);
    other.server.close();
  });

  it("is recognized when it comes from an MCP server", async () => {
    const app = await startServer();
    const mcp = await startMcpHttp(app.url);
    for (const at of [mcp, new URL(mcp).origin]) {
      const ran = await createCliUser().run(["whoami"], { env: { TRACKWAY_URL: at, TRACKWAY_API_KEY: KEY } });
      shouldBeOneLine(ran, at);
      expect(ran.stderr).to.match(/the response is not from Trackway.*use the address of the server/);
    }
    shouldFail(await check(mcp), mcp);
  });

  it("is recognized by each member of another type, in both clients", async () => {
    const document = `query Two($id: ID) { viewer { name email owner createdAt } organization { name urlKey }
      issues(filter: { id: { eq: $id } }, first: 1) { nodes { id priority title state { ...S } labels { nodes { name } } assignee { name } } pageInfo { hasNextPage endCursor } } }
      fragment S on WorkflowState { name position }`;
    const issue = {
      id: "0198c0de-0000-7000-8000-000000000001",
      ...{ priority: 1, title: "One", state: { name: "Todo", position: 1 } },
      ...{ labels: { nodes: [{ name: "Bug" }] }, assignee: null },
    };
    const data = {
      viewer: { name: "Olive", email: "o@example.com", owner: true, createdAt: "2026-11-28T00:00:00.000Z" },
      organization: { name: "Acme", urlKey: "acme" },
      issues: { nodes: [issue], pageInfo: { hasNextPage: false, endCursor: null } },
    };
    // A list may be empty, and these members may be null.
    const nullable = ["issues.nodes.0.assignee", "issues.pageInfo.endCursor"];
    let body = "";
    answer = (_, response) => response.writeHead(200, { "content-type": "application/json" }).end(body);
    const viaCli = () => sendGraphqlRequest({ url, apiKey: KEY }, document);
    const signal = new AbortController().signal;
    const viaMcp = () => createGraphqlClient({ url, key: KEY, signal })(document);
    body = JSON.stringify({ data });
    expect([await viaCli(), await viaMcp()]).to.deep.equal([data, data]);
    for (const place of placesIn(data)) {
      const path = place.join(".");
      const own = place.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], data);
      for (const other of OTHERS) {
        const isEmptyList = Array.isArray(own) && Array.isArray(other) && other.length === 0;
        if (isEmptyList || (typeOf(own) === typeOf(other) && typeof own !== "object")) continue;
        if (nullable.includes(path) && (other === null || typeof other === "string")) continue;
        if (place.at(-1) === "0" && other === undefined) continue;
        body = JSON.stringify({ data: withAt(data, place, other) });
        const errors = await Promise.all(
          [viaCli, viaMcp].map((ask) =>
            ask().then(
              () => undefined,
              (error) => error,
            ),
          ),
        );
        expect(errors[0], `${path} ${body}`).to.be.instanceOf(CommandFailure);
        expect(errors[1], `${path} ${body}`).to.be.instanceOf(ToolError);
        expect(errors[0].message, path).to.match(/^[^\n]*the response is not from Trackway[^\n]*$/);
        expect(errors[1].message, path).to.match(/^[^\n]*the response is not from Trackway[^\n]*$/);
      }
    }
  });

  it("is compared with the types of the schema", async () => {
    const { generate, TARGET } = await import("../../scripts/api-types.js");
    expect(readFileSync(TARGET, "utf8"), "run npm run api:types").to.equal(generate());
  });
});

import { execFile } from "node:child_process";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "chai";
import { sharedMcp } from "../../support/mcp.ts";
import { freshOrganization } from "../../support/server.ts";

const SUITE = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

const PASSING = [
  "server-initialize",
  "logging-set-level",
  "ping",
  "tools-list",
  "server-sse-polling",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];

/** Each calls a tool, prompt or resource with a name of the suite's own, which only a server built for it has. */
const NEED_FIXTURES = [
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-logging",
  "tools-call-error",
  "tools-call-with-progress",
  "tools-call-sampling",
  "tools-call-elicitation",
  "json-schema-2020-12",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "resources-read-text",
  "resources-read-binary",
  "resources-templates-read",
  "resources-subscribe",
  "resources-unsubscribe",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
];

/** Adds the key, which the suite has no way to send. */
function withKey(target: string, apiKey: string): Promise<Server> {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, authorization: apiKey };
    const onward = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  return new Promise((resolve) => proxy.listen(0, "127.0.0.1", () => resolve(proxy)));
}

describe("The public MCP conformance suite 0.1.13", () => {
  it("passes in every scenario that needs no fixture of the suite's own", async () => {
    const { url, apiKey } = await freshOrganization();
    const proxy = await withKey(await sharedMcp(url), apiKey);
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    // It exits with 1 for the scenarios that need fixtures.
    const run = promisify(execFile)(process.execPath, [SUITE, "server", "--url", address, "--suite", "all"]);
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    proxy.close();
    proxy.closeAllConnections();
    const outcomes = [...stdout.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gmu)];
    const named = (mark: string) => outcomes.filter(([, it]) => it === mark).map(([, , name]) => name);
    expect(named("✓")).to.deep.equal(PASSING);
    expect(named("✗")).to.deep.equal(NEED_FIXTURES);
  });
});

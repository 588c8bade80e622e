import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { routes } from "../../server/control/routes.ts";
import { ingestPaths } from "../../server/ingest/middleware.ts";
import { sdkHandlers } from "../../server/ingest/sdk/index.ts";
import { startSharedServer } from "../support/server.ts";

const run = promisify(execFile);

interface Operation {
  summary: string;
  description?: string;
  responses: Record<string, unknown>;
}

describe("the OpenAPI document", () => {
  let document: { info: Record<string, unknown>; servers: unknown; paths: Record<string, Record<string, Operation>> };
  before(async () => {
    const { url } = await startSharedServer();
    document = (await (await fetch(`${url}/api/openapi.json`)).json()) as typeof document;
  });

  it("passes a public linter", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "openapi-")), "openapi.json");
    await writeFile(file, JSON.stringify(document));
    const linter = join("node_modules", ".bin", "redocly");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { stdout } = await run(linter, ["lint", file, "--format=json"], { env });
    expect(JSON.parse(stdout)["totals"]).to.include({ errors: 0, warnings: 0 });
  });

  it("follows spectral's further OpenAPI rules: a contact, and a description of each operation", () => {
    expect(document.info["contact"]).to.be.an("object").and.not.deep.equal({});
    for (const [path, verbs] of Object.entries(document.paths)) {
      for (const [verb, { summary, description = "" }] of Object.entries(verbs)) {
        expect(description, `${verb} ${path}`).to.match(/^\S.{20,}\.$/s);
        expect(description, `${verb} ${path}`).not.to.include(summary);
      }
    }
  });

  it("documents the response to long headers, also for probes", async () => {
    const { url } = await startSharedServer();
    for (const path of ["/api/health", "/api/health/live"]) {
      expect(document.paths[path]?.["get"]?.responses).to.have.property("431");
      const status = await new Promise((resolve, reject) => {
        get(url + path, { headers: { "X-Long": "x".repeat(17 * 1024) } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on("error", reject);
      });
      expect(status, path).to.equal(431);
    }
  });

  it("contains full paths, every declared route and every ingestion path", () => {
    const documented = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb} ${path}`),
    );
    const methodOf = (path: string) => sdkHandlers.get(path)?.method.toLowerCase() ?? "post";
    const posted = ingestPaths.map((path) => ({ method: methodOf(path), path }));
    const declared = [...routes, ...posted].map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    expect(documented).to.have.members(declared);
    expect(document.servers).to.deep.equal([{ url: "/" }]);
  });

  it("lists only ingestion methods that are served, and each needs a key", async () => {
    const { url } = await startSharedServer();
    for (const path of ingestPaths)
      for (const method of Object.keys(document.paths[path.replace(/:(\w+)/g, "{$1}")] ?? {})) {
        const { status } = await fetch(url + path.replace(/:\w+/g, "1"), { method: method.toUpperCase() });
        expect(status, `${method} ${path}`).to.be.oneOf(method === "get" ? [200, 401] : [401]);
      }
  });
});

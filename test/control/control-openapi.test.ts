import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { routes } from "../../server/control/routes.ts";
import { sharedServer } from "../support/server.ts";

const run = promisify(execFile);

interface Operation {
  summary: string;
  description?: string;
  responses: Record<string, unknown>;
}

describe("the OpenAPI document", () => {
  let document: { info: Record<string, unknown>; servers: unknown; paths: Record<string, Record<string, Operation>> };
  before(async () => {
    const { url } = await sharedServer();
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

  it("has what spectral's OpenAPI rules ask beyond that: a contact, and a description of each operation", () => {
    expect(document.info["contact"]).to.be.an("object").and.not.deep.equal({});
    for (const [path, verbs] of Object.entries(document.paths)) {
      for (const [verb, { summary, description = "" }] of Object.entries(verbs)) {
        expect(description, `${verb} ${path}`).to.match(/^\S.{20,}\.$/s);
        expect(description, `${verb} ${path}`).not.to.include(summary);
      }
    }
  });

  it("tells truly that headers may be too long, of probes too", async () => {
    const { url } = await sharedServer();
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

  it("writes paths in full, and has every declared route", () => {
    const documented = Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb} ${path}`),
    );
    const declared = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    expect(documented).to.have.members(declared);
    expect(document.servers).to.deep.equal([{ url: "/" }]);
  });

  it("speaks of the control plane alone", () => {
    expect(
      Object.keys(document.paths).filter((path) => !path.startsWith("/api/") || path.startsWith("/api/v1")),
    ).to.deep.equal([]);
  });
});

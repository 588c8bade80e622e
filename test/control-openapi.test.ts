import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { routes } from "../server/control/routes.ts";
import { sharedServer } from "./support/server.ts";

const run = promisify(execFile);

describe("the OpenAPI document", () => {
  let document: { servers: unknown; paths: Record<string, Record<string, unknown>> };
  before(async () => {
    const { url } = await sharedServer();
    document = (await (await fetch(`${url}/api/openapi.json`)).json()) as typeof document;
  });

  it("passes a public linter", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "openapi-")), "openapi.json");
    await writeFile(file, JSON.stringify(document));
    const linter = join("node_modules", ".bin", "redocly");
    // Probes have no way to ask wrongly: that one rule does not fit them.
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { stdout } = await run(linter, ["lint", file, "--format=json", "--skip-rule=operation-4xx-response"], {
      env,
    });
    expect(JSON.parse(stdout)["totals"]).to.include({ errors: 0, warnings: 0 });
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

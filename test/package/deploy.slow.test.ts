import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect } from "chai";
import { parseAllDocuments } from "yaml";
import { configSchema } from "../../server/config.ts";

const manifests: any[] = parseAllDocuments(readFileSync("deploy/kubernetes/trackway.yaml", "utf8")).map((document) => {
  expect(document.errors).to.deep.equal([]);
  return document.toJS();
});
/** Modules of kubernetes-types by API version. */
const MODULES: Record<string, string> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "policy/v1": "policy/v1",
  "networking.k8s.io/v1": "networking/v1",
};
const named = (kind: string) => manifests.filter((each) => each.kind === kind);
const deployments = named("Deployment");
const containers = deployments.map(({ spec }) => spec.template.spec.containers[0]);

describe("deploy/kubernetes", () => {
  /**
   * Compiles manifests as literals of their Kubernetes types, so that an unknown field is an error. Returns the
   * errors.
   */
  function faults(all: any[]): string {
    const folder = mkdtempSync(join(tmpdir(), "trackway-manifests-"));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    const literals = all.map(
      ({ apiVersion, kind, ...rest }, at) =>
        `const _${at}: import("kubernetes-types/${MODULES[apiVersion]}.d.ts").${kind} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
    );
    writeFileSync(join(folder, "manifests.ts"), literals.join("\n"));
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "esnext",
      "--moduleResolution",
      "bundler",
      "--module",
      "preserve",
    ];
    try {
      execFileSync(
        resolve("node_modules/.bin/tsc"),
        [...options, "--allowImportingTsExtensions", "--types", "", "manifests.ts"],
        { cwd: folder, encoding: "utf8" },
      );
      return "";
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  it("has only fields of Kubernetes' types", () => {
    expect(faults(manifests)).to.equal("");
    const [deployment] = structuredClone(deployments);
    deployment.spec.template.spec.containers[0].readynessProbe = {};
    expect(faults([deployment])).to.include("readynessProbe");
  }).timeout(60_000);

  it("has a server and MCP, each with probes, a disruption budget, a network policy and no rights", () => {
    expect(deployments.map(({ metadata }) => metadata.name)).to.deep.equal(["trackway", "trackway-mcp"]);
    for (const { metadata, spec } of deployments) {
      const labels = spec.template.metadata.labels;
      expect(spec.selector.matchLabels).to.deep.equal(labels);
      for (const kind of ["PodDisruptionBudget", "NetworkPolicy"]) {
        const [other] = named(kind).filter((each) => each.metadata.name === metadata.name);
        expect((other.spec.selector ?? other.spec.podSelector).matchLabels).to.deep.equal(labels);
      }
      const [service] = named("Service").filter((each) => each.metadata.name === metadata.name);
      expect(service.spec.selector).to.deep.equal(labels);
      const { securityContext, containers: all, volumes } = spec.template.spec;
      expect(securityContext).to.include({ runAsNonRoot: true });
      const [{ volumeMounts, ports, readinessProbe, livenessProbe, securityContext: own }] = all;
      expect(own).to.deep.include({ readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } });
      expect(volumeMounts.map(({ name }: any) => name)).to.deep.equal(volumes.map(({ name }: any) => name));
      for (const probe of [readinessProbe, livenessProbe]) expect(probe.httpGet.port).to.equal(ports[0].name);
      expect(service.spec.ports[0].targetPort).to.equal(ports[0].name);
    }
  });

  it("sets only variables that the server reads, and secrets only by reference", () => {
    const [{ data }] = named("ConfigMap");
    expect(named("Secret")).to.deep.equal([]);
    const [{ env }] = containers;
    const secrets = env.filter(({ valueFrom }: any) => valueFrom?.secretKeyRef).map(({ name }: any) => name);
    expect(secrets).to.deep.equal(["DATABASE_URL", "JWT_SECRET", "METRICS_TOKEN"]);
    const given = Object.fromEntries(
      env.map(({ name, value }: any) => [name, value ?? `postgres://${"x".repeat(40)}`]),
    );
    expect(configSchema.strict().safeParse({ ...data, ...given }).error?.issues).to.equal(undefined);
  });
});

describe("deploy/systemd", () => {
  const unit = readFileSync("deploy/systemd/trackway.service", "utf8");
  const analyze = (...args: string[]) =>
    execFileSync("systemd-analyze", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

  it("sets only variables that the server reads", () => {
    const lines = readFileSync("deploy/systemd/trackway.env", "utf8").split("\n");
    const set = lines.flatMap((line) => /^#?([A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(set).to.include("DATABASE_URL");
    expect(set.filter((name) => !(name in configSchema.shape))).to.deep.equal([]);
  });

  it("is a valid unit with low exposure according to systemd", function () {
    if (!existsSync("/usr/bin/systemd-analyze")) this.skip();
    const folder = mkdtempSync(join(tmpdir(), "trackway-unit-"));
    const file = join(folder, "trackway.service");
    // Node.js is the only program of the unit that may be elsewhere on this machine.
    writeFileSync(file, unit.replace("/usr/bin/node", process.execPath));
    expect(analyze("verify", "--man=no", file)).to.equal("");
    expect(analyze("security", "--offline=true", "--threshold=20", file)).to.match(/exposure level .*: [01]\.\d OK/);
    writeFileSync(file, unit.replace(/^(?:Protect|Restrict|System|Private|Capability).*\n/gm, ""));
    expect(() => analyze("security", "--offline=true", "--threshold=20", file)).to.throw();
  });
});

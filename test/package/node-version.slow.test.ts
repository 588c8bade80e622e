import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { explainUnsupportedVersion } from "../../scripts/node-version.js";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const LINE = /^trackway: needs Node\.js 20\.19 or newer, and this is v18\.20\.8; [^\n]+\n$/;
/** Makes Node.js report an older version. */
const AS_OLD = `data:text/javascript,Object.defineProperty(process, "version", { value: "v18.20.8" })`;

describe("an old version of Node.js", () => {
  it("is reported if older than the version in package.json", () => {
    const needed = String(/^>=(\d+\.\d+)$/.exec(manifest.engines.node)?.[1]);
    for (const old of ["v0.12.18", "v8.17.0", "v18.20.8", "v19.9.0", "v20.9.0", "v20.18.3"])
      expect(explainUnsupportedVersion(old), old).to.include(`needs Node.js ${needed} or newer`).and.to.include(old);
    for (const good of [`v${needed}.0`, "v20.100.1", "v21.0.0", "v22.12.0", "v24.0.0-nightly", "v100.0.0"])
      expect(explainUnsupportedVersion(good), good).to.equal(undefined);
  });

  it("is reported in one line by every program that a user starts", () => {
    const scripts: Record<string, string> = manifest.scripts;
    const names = Object.keys(scripts).filter((name) => /^pre|^(build|mcp|mcp:http)$/.test(name));
    const commands = new Set([
      ...names.map((name) => String(scripts[name])),
      `node ${manifest.bin["trackway-mcp"]} check`,
      "node dist/server/main.js",
      `node ${manifest.bin.trackway} doctor`,
    ]);
    expect([...commands].length).to.be.greaterThan(2);
    for (const command of commands) {
      const [, ...args] = command.split(" ");
      const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", AS_OLD, ...args], {
        encoding: "utf8",
      });
      expect([status, stdout], command).to.deep.equal([2, ""]);
      expect(stderr, command).to.match(LINE);
    }
  });

  it("is reported before importing anything that the old version cannot parse", () => {
    for (const program of ["server/main.ts", "mcp/bin.js"]) {
      const imports = readFileSync(program, "utf8").match(/^import .*/gm) ?? [];
      expect(imports[0], program).to.match(/node-version/);
      // All other imported modules must run on old versions of Node.js.
      for (const other of imports.slice(1)) expect(other, program).to.match(/scripts\/build\.js/);
    }
  });

  it("is checked in the package and in the image", () => {
    expect(readFileSync("scripts/pack/packages.js", "utf8")).to.match(/^const COMMON = .*"scripts\/node-version\.js"/m);
    expect(readFileSync("Dockerfile", "utf8")).to.match(/^COPY .*scripts\/node-version\.js.* \.\/scripts\/$/m);
  });
});

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "chai";
import { VERSION_PLACES } from "../../scripts/version.js";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
/**
 * The version of a manifest, or a version after a package name of Trackway: `trackway-cli-1.2.3.tgz`,
 * `trackway:1.2.3`.
 */
const A_VERSION = /(?<=^ {0,6}"version": ")[^"]+|(?<=\btrackway[a-z-]*[-:@])\d+\.\d+\.\d+(?![\d.])/gm;

/** Returns the versions found in each listed file under `folder`. */
const versionsIn = (folder: string) =>
  Object.fromEntries(
    Object.entries(VERSION_PLACES).map(([path, place]) => [
      path,
      readFileSync(join(folder, path), "utf8").match(place),
    ]),
  );

describe("the version", () => {
  it("is the version of package.json in each file that contains a version", () => {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
    expect([lock.version, lock.packages[""].version]).to.deep.equal([version, version]);
    for (const [path, versions] of Object.entries(versionsIn(".")))
      expect(new Set(versions), path).to.deep.equal(new Set([version]));
  });

  it("is in no file that a release does not update", () => {
    const files = execFileSync("git", ["ls-files", "*.json", "*.md", "*.yaml", "*.js", "*.txt"], { encoding: "utf8" });
    const ours = files.split("\n").filter((path) => path && !/^(test\/|package(-lock)?\.json|CHANGELOG)/.test(path));
    const having = ours.filter((path) => readFileSync(path, "utf8").match(A_VERSION));
    expect(having.sort()).to.deep.equal(Object.keys(VERSION_PLACES).sort());
  });

  it("is written to all of these files, and above the released entries of the changelog", () => {
    const folder = mkdtempSync(join(tmpdir(), "trackway-version-"));
    for (const path of [...Object.keys(VERSION_PLACES), "CHANGELOG.md"]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(path, join(folder, path));
    }
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        name: "trackway",
        version,
        scripts: { version: `node ${resolve("scripts/version.js")}` },
      }),
    );
    execFileSync("npm", ["version", "12.34.56", "--no-git-tag-version"], { cwd: folder, stdio: "ignore" });
    const before = versionsIn(".");
    for (const [path, versions] of Object.entries(versionsIn(folder)))
      expect(versions, path).to.deep.equal(before[path]?.map(() => "12.34.56"));
    expect(readFileSync(join(folder, "CHANGELOG.md"), "utf8")).to.match(
      /^## \[Unreleased\]\n\n## \[12\.34\.56\] - \d{4}-\d\d-\d\d\n/m,
    );
  });
});

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "chai";
import { PLACES } from "../../scripts/version.js";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
/** A manifest's version of its own, or one of ours behind our name: `trackway-cli-1.2.3.tgz`, `trackway:1.2.3`. */
const A_VERSION = /(?<=^ {0,6}"version": ")[^"]+|(?<=\btrackway[a-z-]*[-:@])\d+\.\d+\.\d+(?![\d.])/gm;

/** The versions of a file at each place, by the file: those of `folder`. */
const versionsIn = (folder: string) =>
  Object.fromEntries(
    Object.entries(PLACES).map(([path, place]) => [path, readFileSync(join(folder, path), "utf8").match(place)]),
  );

describe("The version", () => {
  it("is that of package.json in each file that has it", () => {
    const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
    expect([lock.version, lock.packages[""].version]).to.deep.equal([version, version]);
    for (const [path, versions] of Object.entries(versionsIn(".")))
      expect(new Set(versions), path).to.deep.equal(new Set([version]));
  });

  it("stands in no file that the next version is not written to", () => {
    const files = execFileSync("git", ["ls-files", "*.json", "*.md", "*.yaml", "*.js", "*.txt"], { encoding: "utf8" });
    const ours = files.split("\n").filter((path) => path && !/^(test\/|package(-lock)?\.json|CHANGELOG)/.test(path));
    const having = ours.filter((path) => readFileSync(path, "utf8").match(A_VERSION));
    expect(having.sort()).to.deep.equal(Object.keys(PLACES).sort());
  });

  it("is written to all of them, and above what is released in the changelog", () => {
    const folder = mkdtempSync(join(tmpdir(), "trackway-version-"));
    for (const path of [...Object.keys(PLACES), "CHANGELOG.md"]) {
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

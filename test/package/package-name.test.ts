import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { findFetchedPackages, findForeignPackages } from "../support/recording/fetching.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  // Fixtures are recorded request bodies with texts for models.
  .filter(
    (path) =>
      !/^(|package-lock\.json|test\/package\/package-name\.test\.ts|test\/support\/recording\/fetching\.ts|test\/fixtures\/.*|.*\.(webp|gz|tgz|bin))$/.test(
        path,
      ),
  );

describe("commands that fetch a package", () => {
  it("are found in any form", () => {
    expect(findFetchedPackages("`npx -y -p trackway trackway-mcp`")).to.deep.equal(["trackway"]);
    expect(findFetchedPackages('"command": "npx",\n  "args": ["-y", "trackway-mcp"]')).to.deep.equal(["trackway-mcp"]);
    expect(findFetchedPackages("npm install --global ./trackway-0.1.0.tgz && npm i @acme/x@1 y")).to.deep.equal([
      "@acme/x",
      "y",
    ]);
    expect(findFetchedPackages("// npm install @a/{b,c} d # e")).to.deep.equal(["@a/b", "@a/c", "d"]);
    expect(
      findForeignPackages("a page", "npx mocha && npx trackway && uvx trackway-mcp && npm i @trackway/trackway"),
    ).to.deep.equal(["trackway", "trackway-mcp", "@trackway/trackway"].map((name) => ({ path: "a page", name })));
  });

  it("name only locked packages in the whole repository, because the package names of Trackway are unpublished", () => {
    const texts = files.map((path) => ({ path, text: readFileSync(path, "utf8") }));
    expect(texts.flatMap(({ text }) => findFetchedPackages(text))).to.include.members(["mocha", "@openai/agents"]);
    expect(texts.flatMap(({ path, text }) => findForeignPackages(path, text))).to.deep.equal([]);
  });

  it("cannot fetch this repository's own package, because it is private", () => {
    expect(JSON.parse(readFileSync("package.json", "utf8")).private).to.equal(true);
  });
});

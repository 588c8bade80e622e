import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import { fetchedBy, foreignIn } from "../support/recording/fetching.ts";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  // Fixtures are bodies of programs, with texts for models.
  .filter(
    (path) =>
      !/^(|package-lock\.json|test\/package\/package-name\.test\.ts|test\/support\/recording\/fetching\.ts|test\/fixtures\/.*|.*\.(webp|gz|tgz|bin))$/.test(
        path,
      ),
  );

describe("Commands that fetch a package", () => {
  it("are found, however they are written", () => {
    expect(fetchedBy("`npx -y -p trackway trackway-mcp`")).to.deep.equal(["trackway"]);
    expect(fetchedBy('"command": "npx",\n  "args": ["-y", "trackway-mcp"]')).to.deep.equal(["trackway-mcp"]);
    expect(fetchedBy("npm install --global ./trackway-0.1.0.tgz && npm i @acme/x@1 y")).to.deep.equal(["@acme/x", "y"]);
    expect(fetchedBy("// npm install @a/{b,c} d # e")).to.deep.equal(["@a/b", "@a/c", "d"]);
    expect(
      foreignIn("a page", "npx mocha && npx trackway && uvx trackway-mcp && npm i @trackway/trackway"),
    ).to.deep.equal(["trackway", "trackway-mcp", "@trackway/trackway"].map((name) => ({ path: "a page", name })));
  });

  it("name none in the whole repository but those that are locked: nobody has published ours", () => {
    const texts = files.map((path) => ({ path, text: readFileSync(path, "utf8") }));
    expect(texts.flatMap(({ text }) => fetchedBy(text))).to.include.members(["mocha", "@openai/agents"]);
    expect(texts.flatMap(({ path, text }) => foreignIn(path, text))).to.deep.equal([]);
  });

  it("cannot be made by this checkout either: its package is private", () => {
    expect(JSON.parse(readFileSync("package.json", "utf8")).private).to.equal(true);
  });
});

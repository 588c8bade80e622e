import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect } from "chai";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
/** The packages that npm ci has checked against package-lock.json: they exist, and are the ones meant. */
const LOCKED = new Set([
  // Node.js itself, as npm carries it.
  "node",
  ...Object.keys(JSON.parse(readFileSync("package-lock.json", "utf8")).packages).map((path) =>
    path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
  ),
]);
/**
 * Commands that fetch the packages that they name, each with the rest of its line, in a shell or in a list of
 * arguments.
 */
const FETCHING =
  /(?<![\w/.-])(?:npx|bunx|(?:pnpm|yarn) dlx|npm (?:exec|x|i|install|add)|(?:pnpm|yarn|bun) add)(?![\w/.-])((?:",?\s*"args":)?[^\n`|&]*)/g;
const OPTION_WITH_PACKAGE = /^(?:-p|--package)$/;

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => /\.(md|json|ts|js|cjs|html|ya?ml)$|^\.ci\/|Dockerfile$/.test(path))
  // Fixtures are bodies of programs, with texts for models.
  .filter((path) => !/^(package-lock\.json|test\/package\/package-name\.test\.ts|test\/fixtures\/.*)$/.test(path));

/**
 * The packages that a command fetches: `-p` names packages, else the first argument that is no option. Files are no
 * packages.
 */
function fetched(rest: string): string[] {
  const words = rest.split(/[\s"',[\]{}();:]+/).filter((word) => word && word !== "args");
  const named = words.filter((_, at) => OPTION_WITH_PACKAGE.test(words[at - 1] ?? ""));
  const first = words.find((word) => !word.startsWith("-"));
  const all = named.length > 0 ? named : first ? [first] : [];
  return all.map((word) => word.replace(/(?<=.)@.*$/, "")).filter((word) => !/^\.{0,2}\/|\.tgz$/.test(word));
}

describe("Commands that fetch a package", () => {
  it("are found, however they are written", () => {
    const found = (text: string) => [...text.matchAll(FETCHING)].flatMap(([, rest = ""]) => fetched(rest));
    expect(found("`npx -y -p trackway trackway-mcp`")).to.deep.equal(["trackway"]);
    expect(found('"command": "npx",\n  "args": ["-y", "trackway-mcp"]')).to.deep.equal(["trackway-mcp"]);
    expect(found("npm install --global ./trackway-0.1.0.tgz && npm i @acme/x@1")).to.deep.equal(["@acme/x"]);
  });

  it("name none but those of package-lock.json: nobody has published ours", () => {
    const named = files.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(FETCHING)].flatMap(([command, rest = ""]) =>
        fetched(rest).map((name) => ({ path, command, name })),
      ),
    );
    expect(named.map(({ name }) => name)).to.include("mocha");
    expect(named.filter(({ name }) => !LOCKED.has(name) || name === manifest.name)).to.deep.equal([]);
  });

  it("cannot be made by a manifest either: the package is private, and server.json names none", () => {
    expect(manifest.private).to.equal(true);
    expect(JSON.parse(readFileSync("server.json", "utf8"))).not.to.have.property("packages");
  });
});

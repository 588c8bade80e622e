import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** A text that is an SQL statement or contains a writing statement, except in `knex.raw`. */
const STATEMENT = /(?<!raw\(\s*)["'`]\s*(?:with|select|copy)\s[^;]*?\b(?:from|as \()/;
const WRITES = /\binsert\s+into\s|\bdelete\s+from\s|\bupdate\s+\S+\s+(?:\w+\s+)?set\s/i;

const sources = readdirSync("server", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: `server/${path}`, text: readFileSync(`server/${path}`, "utf8") }));

/** The documented raw SQL: files and folders with the reason. */
const listed = [...section("## Raw SQL").matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \| (.+) \|$/gm)].flatMap(
  ([, paths, reason]) =>
    [...(paths ?? "").matchAll(/`([^`]+)`/g)].map(([, path = ""]) => ({ path, reason: reason?.trim() ?? "" })),
);

function section(heading: string): string {
  const [, after = ""] = readFileSync("docs/database.md", "utf8").split(`\n${heading}\n`);
  return after.split("\n## ")[0] ?? "";
}

const covers = (entry: string, path: string) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry);
const isRaw = ({ text }: { text: string }) => STATEMENT.test(text) || WRITES.test(text);

describe("the server's SQL", () => {
  it("is built by knex, except in the files that docs/database.md lists", () => {
    const unlisted = sources.filter((source) => isRaw(source) && !listed.some(({ path }) => covers(path, source.path)));
    expect(
      unlisted.map(({ path }) => path),
      "build these statements with knex (db/builder.ts), or list the file under Raw SQL in docs/database.md",
    ).to.deep.equal([]);
  });

  it("is raw in every listed place, with a reason in docs/database.md", () => {
    expect(listed.length).to.be.greaterThan(10);
    for (const { path: entry, reason } of listed) {
      expect(
        sources.some((source) => covers(entry, source.path) && isRaw(source)),
        `${entry} has none`,
      ).to.equal(true);
      expect(reason, entry).to.match(/\w+ \w+/);
    }
  });

  it("has a comment in each raw file that explains why", () => {
    const files = sources.filter(({ path }) => listed.some((entry) => entry.path === path));
    const silent = files.filter(({ text }) => !/Raw\s+(\* )?SQL/.test(text));
    expect(silent.map(({ path }) => path)).to.deep.equal([]);
  });

  it("comes from knex in every folder that reads tables", () => {
    for (const folder of ["accounts", "admin", "auth", "jobs", "resources", "stream", "write"]) {
      const built = sources.filter(({ path, text }) => path.startsWith(`server/${folder}/`) && /\bknex\(/.test(text));
      expect(built.length, folder).to.be.greaterThan(0);
    }
  });
});

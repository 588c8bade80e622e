import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect } from "chai";

const { filesToRun, findKind, listTests } = createRequire(import.meta.url)("../support/run/files.cjs");

/** Folders of product code. */
const PRODUCT = /^(cli|concurrency|db|mcp|redaction|server|trackway|web)\//;
/**
 * Modules that give access to an entry point or a real resource: test support, and processes, sockets and files of
 * Node.js.
 */
const REAL_PARTS = /^(test\/support\/(?!run\/)|node:(child_process|http|net|fs))/;
/** Modules that start a server. */
const SERVERS = /^test\/support\/(server|workspace|mcp)\.ts/;

/** Returns the modules that a file imports. Modules of the repository are paths. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/from "([^"]+)"/g)].map(([, name = ""]) =>
    name.startsWith(".") ? join(dirname(path), name) : name,
  );

describe("test files", () => {
  it("have an ending that a command runs", () => {
    expect(listTests().filter((path: string) => findKind(path) === undefined)).to.deep.equal([]);
  });

  it("have a kind by their ending, and an unknown ending has none", () => {
    const kinds = ["a.test.ts", "a.slow.test.ts", "a.embedded.test.ts", "a.long.test.ts", "a.test.js", "constructor"];
    expect(kinds.map((name) => findKind(`test/area/${name}`))).to.deep.equal([
      ...["core", "slow", "embedded"],
      ...[undefined, undefined, undefined],
    ]);
  });

  it("belong to at least one run", () => {
    const taken = new Set(["core", "postgres", "embedded"].flatMap((run) => filesToRun(run)));
    expect(listTests().filter((path: string) => !taken.has(path))).to.deep.equal([]);
    expect(filesToRun("everything")).to.have.members(listTests());
  });

  it("are in test/unit if and only if they call product functions without an entry point", () => {
    const reach = (path: string, what: RegExp) => importsOf(path).some((name) => what.test(name));
    const misplaced = (path: string) =>
      path.startsWith("test/unit/")
        ? reach(path, SERVERS)
        : !path.startsWith("test/package/") && reach(path, PRODUCT) && !reach(path, REAL_PARTS);
    expect(listTests().filter(misplaced)).to.deep.equal([]);
  });

  it("are named in no configuration and no script", () => {
    const files = [".mocharc.cjs", ".ci/run", "package.json", "test/support/run/files.cjs", "scripts/test-all.ts"];
    const named = files.filter((file) => /\/[\w-]+(\.\w+)?\.test\.ts/.test(readFileSync(file, "utf8")));
    expect(named).to.deep.equal([]);
  });
});

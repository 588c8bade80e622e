import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "chai";

const { filesToRun, findKind, listTests } = createRequire(import.meta.url)("../support/run/files.cjs");

describe("test files", () => {
  it("have an ending that a command runs", () => {
    expect(listTests().filter((path: string) => findKind(path) === undefined)).to.deep.equal([]);
  });

  it("are found by their ending alone, and an unknown ending has no kind", () => {
    const kinds = ["a.test.ts", "a.slow.test.ts", "a.embedded.test.ts", "a.long.test.ts", "a.test.js", "constructor"];
    expect(kinds.map((name) => findKind(`test/area/${name}`))).to.deep.equal([
      ...["core", "slow", "embedded"],
      ...[undefined, undefined, undefined],
    ]);
  });

  it("each belong to at least one run", () => {
    const taken = new Set(["core", "postgres", "embedded"].flatMap((run) => filesToRun(run)));
    expect(listTests().filter((path: string) => !taken.has(path))).to.deep.equal([]);
    expect(filesToRun("everything")).to.have.members(listTests());
  });

  it("are named in no configuration and no script", () => {
    const files = [".mocharc.cjs", ".ci/run", "package.json", "test/support/run/files.cjs", "scripts/test-all.ts"];
    const named = files.filter((file) => /\/[\w-]+(\.\w+)?\.test\.ts/.test(readFileSync(file, "utf8")));
    expect(named).to.deep.equal([]);
  });
});

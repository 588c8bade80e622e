import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { createCliUser } from "../../support/cli/cli.ts";
import { runExecutable } from "../../support/cli/cli-run.ts";

const PROGRAM = "dist/cli/main.js";

/** Returns the files and packages that a compiled file imports before running, including the file. */
function loadedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.startsWith("dist/")) return found;
  const text = readFileSync(file, "utf8");
  for (const [, path = ""] of text.matchAll(/^(?:import|\} from|export \{[^}]*\} from)\b[^"\n]*"([^"]+)";/gm))
    loadedBy(path.startsWith(".") ? join(dirname(file), path) : path, found);
  return found;
}

const chunkOf = (command: string): string => {
  const [, path = ""] =
    new RegExp(`import\\("(\\./parts/${command}-\\w+\\.js)"\\)`).exec(readFileSync("dist/cli/run.js", "utf8")) ?? [];
  return join("dist/cli", path);
};

const bytesOf = (files: Set<string>): number =>
  [...files].filter((file) => file.startsWith("dist/")).reduce((sum, file) => sum + readFileSync(file).length, 0);

describe("starting the command line", () => {
  // The first call compiles the CLI.
  before(() => runExecutable(createCliUser().home, ["--version"]));

  it("with --version loads no parser of arguments", () => {
    const files = loadedBy(PROGRAM);
    expect(bytesOf(files)).to.be.lessThan(20_000);
    expect([...files].filter((file) => !file.startsWith("dist/"))).to.deep.equal([]);
  });

  it("loads only the command's own modules, and no package", () => {
    const files = new Set([...loadedBy("dist/cli/run.js"), ...loadedBy(chunkOf("ready"))]);
    expect(bytesOf(files)).to.be.within(100_000, 260_000);
    const others = [...files].filter((file) => !file.startsWith("dist/") && !file.startsWith("node:"));
    expect(others).to.deep.equal([]);
    expect([...files])
      .not.to.include.members(["node:http"])
      .and.not.to.include.members(["node:https"]);
  });
});

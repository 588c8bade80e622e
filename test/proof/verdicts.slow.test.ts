import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import type { Act } from "../../server/resources/proof/acts.ts";
import { type Rules, verdictOf } from "../../server/resources/proof/proof.ts";
import { runs } from "../support/run/runs.ts";

/** An act as the table has it: a command line or a changed file, each a second after the other. */
interface Written {
  run?: string;
  exit?: number | null;
  edit?: string | null;
  in?: string | null;
  session?: string;
  at?: number;
  for?: number;
  open?: true;
  background?: true;
}

interface Row {
  name: string;
  honest: boolean;
  verdict: string;
  rules?: Partial<Rules>;
  folders?: string[];
  gaps?: string[];
  acts: Written[];
}

const TABLE: Row[] = JSON.parse(readFileSync(new URL("../fixtures/proof/runs.json", import.meta.url), "utf8"));

const acts = (written: readonly Written[], folder: string | null): Act[] =>
  written.map((each, at) => {
    const from = each.at ?? at * 1_000;
    return {
      event: `e${at}`,
      session: each.session ?? "a",
      folder: each.in === undefined ? folder : each.in,
      from,
      until: each.open ? null : from + (each.for ?? 900),
      ...(each.edit !== undefined && { change: each.edit }),
      ...(each.run !== undefined && {
        command: { line: each.run, exitCode: each.exit ?? null, isBackground: each.background ?? false },
      }),
    };
  });

const judge = ({ rules, folders = ["/repo"], gaps = [], acts: written }: Omit<Row, "name" | "honest" | "verdict">) =>
  verdictOf(
    { commands: ["npm test"], commit: false, push: false, ...rules },
    { acts: acts(written, folders[0] ?? null), folders, gaps },
  );

/** Commands of random lines: the demanded one, what looks like it, and what changes how a shell goes on. */
const COMMANDS = [
  ...[
    "./check",
    "./check",
    "./check",
    "./check 2>&1",
    "./check > /dev/null",
    "./check -x",
    "echo ./check",
    "'./check'",
  ],
  ...[
    "true",
    "false",
    "echo x",
    "cd sub",
    "cd ..",
    "set -e",
    "set +e",
    "set -o pipefail",
    "set -eo pipefail",
    "exit 0",
  ],
  ...[
    "exec true",
    "trap 'exit 0' EXIT",
    "! ./check",
    "tail -1",
    "cat",
    "CI=1 ./check",
    "PATH=/nowhere ./check",
    "return 0",
  ],
  ...[
    "time ./check",
    "timeout 5 ./check",
    "nice ./check",
    "env CI=1 ./check",
    "command ./check",
    "# ./check",
    "eval ./check",
  ],
];
const JOINS = [" && ", " && ", " || ", "; ", "\n", " | ", " & ", " &&\n"];
const WRAPS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line,
  (line) => line,
  (line) => `set -e\n${line}`,
  (line) => `set -o pipefail; ${line}`,
  (line) => `(${line})`,
  (line) => `{ ${line}; }`,
  (line) => `if ${line}; then true; fi`,
  (line) => `bash -c '${line.replaceAll("'", "")}'`,
  (line) => `echo "$(${line})"`,
  (line) => `check() { true; }\n${line}`,
];

const lines = fc
  .tuple(
    fc.constantFrom(...COMMANDS),
    fc.array(fc.tuple(fc.constantFrom(...JOINS), fc.constantFrom(...COMMANDS)), { maxLength: 4 }),
    fc.constantFrom(...WRAPS),
  )
  .map(([first, rest, wrap]) => wrap(first + rest.map(([join, command]) => join + command).join("")));

/** The ways in which a line ends: well, badly, of a fault of the line, and of a signal. */
const EXITS = [0, 1, 2, 127, 130];

/** Runs a line in bash in a folder with a program `check`, which fails or not, and says so. */
function execute(line: string, passes: boolean): { exit: number; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "proof-"));
  const code = passes ? 0 : 1;
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "check"), `#!/bin/sh\necho "$# ${code}" >> ${folder}/ran\nexit ${code}\n`, {
    mode: 0o755,
  });
  const { status } = spawnSync("bash", ["-c", line], { cwd: folder, stdio: "ignore", timeout: 20_000 });
  return { exit: status ?? 1, folder };
}

describe("The verdict on what was recorded", () => {
  for (const row of TABLE)
    it(`is ${row.verdict} for ${row.honest ? "honest" : "dishonest"} work: ${row.name}`, () => {
      const { verdict, reason } = judge(row);
      expect(verdict, reason).to.equal(row.verdict);
      expect(reason.length).to.be.within(1, 400);
    });

  it("never is verified for any of the dishonest, and is for 95 of 100 honest", () => {
    const verified = (honest: boolean) =>
      TABLE.filter((row) => row.honest === honest && judge(row).verdict === "verified").length;
    const honest = TABLE.filter((row) => row.honest).length;
    expect(TABLE.length).to.be.at.least(80);
    expect(verified(false)).to.equal(0);
    expect(verified(true) / honest).to.be.at.least(0.95);
  });

  it("never is verified for a command that fails, in whichever line a shell runs it, and only if it ran where it passes", () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (line, passes) => {
        const verdictIn = (folder: string, exit: number) => {
          const edit = { edit: join(folder, "a.ts"), in: folder };
          const acts = [edit, { run: line, exit, in: folder }];
          return judge({ rules: { commands: ["./check"] }, folders: [folder], acts }).verdict;
        };
        // A line of which nothing is said, however it ends, need not be run.
        if (EXITS.every((exit) => verdictIn(tmpdir(), exit) === "unproven")) return;
        const { exit, folder } = execute(line, passes);
        const verdict = verdictIn(folder, exit);
        const ran = existsSync(join(folder, "ran")) ? readFileSync(join(folder, "ran"), "utf8") : "";
        if (verdict === "verified") expect(ran, line).to.match(/^(?:.* 0\n)+$/);
        if (verdict === "contradicted") expect(ran, line).to.not.match(/ 0\n$/);
      }),
      { numRuns: runs(1_500) },
    );
  }).timeout(300_000);
});

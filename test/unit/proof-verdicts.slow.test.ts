import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { agents } from "../../server/agents/index.ts";
import type { TimedAction } from "../../server/resources/proof/acts.ts";
import { judgeRecord, type ProofRules } from "../../server/resources/proof/proof.ts";
import { scaleRuns } from "../support/run/runs.ts";

/**
 * An action in the table of cases: a command line or a changed file. Each action takes place one second after the
 * previous action.
 */
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
  /** Agent. Default: Claude Code. */
  agent?: string;
  honest: boolean;
  verdict: string;
  rules?: Partial<ProofRules>;
  folders?: string[];
  gaps?: string[];
  acts: Written[];
}

const TABLE: Row[] = JSON.parse(readFileSync(new URL("../fixtures/proof/runs.json", import.meta.url), "utf8"));

const acts = (written: readonly Written[], folder: string | null, agent: string): TimedAction[] =>
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
        command: { line: each.run, agent, exitCode: each.exit ?? null, isBackground: each.background ?? false },
      }),
    };
  });

type Judged = Omit<Row, "name" | "honest" | "verdict">;
const judge = ({ agent = "claude-code", rules, folders = ["/repo"], gaps = [], acts: written }: Judged) =>
  judgeRecord(
    { commands: ["npm test"], commit: false, push: false, ...rules },
    { acts: acts(written, folders[0] ?? null, agent), folders, gaps },
  );

/**
 * Commands for random lines: the demanded command, similar commands, and commands that change how a shell continues.
 */
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
    "cd nowhere",
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

/** Lines in all combinations of shell options, prefix, form of the command and suffix. */
const FORMS = [
  "",
  "set -e; ",
  "set -e\n",
  "set -o pipefail; ",
  "set -eo pipefail\n",
  "set -e && ",
  "trap 'exit 0' ERR; ",
]
  .flatMap((strict) => ["", "cd . && ", "cd .; ", "cd nowhere || true; ", "true; "].map((each) => strict + each))
  .flatMap((begin) =>
    ["./check", "./check | tail -1", "! ./check", "(./check)", "f() { ./check; }; f", "if ./check; then true; fi"].map(
      (each) => begin + each,
    ),
  )
  .flatMap((ran) =>
    ["", "; echo done", "\ncd ..", " && echo done", " || true", " & wait", "; exit 0"].map((each) => ran + each),
  );

/** Exit codes of a line: success, failure, an error in the line, and a signal. */
const EXITS = [0, 1, 2, 127, 130];

/**
 * Scripts in which agents run a line: scripts that the server declares, and scripts of unknown agents, which hide
 * failures from `set -e`.
 */
const SHELLS: readonly (readonly [agent: string, script: (line: string) => string])[] = [
  ...agents.flatMap(({ name, shell }) => (shell?.scripts ?? []).map((script) => [name, script] as const)),
  ["cursor", (line) => `if builtin eval ${quoted(line)}; then exit 0; else exit $?; fi`],
  ["github-copilot", (line) => `{ ${line}\n} || exit $?`],
];

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

/** Returns the exit codes of bash for scripts run in a folder whose program `check` fails. */
function exitsOf(scripts: readonly string[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), "proof-"));
  writeFileSync(join(folder, "check"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const all = scripts.map((each) => `bash -c ${quoted(each)} >/dev/null 2>&1 </dev/null; echo $?`).join("\n");
  const { stdout } = spawnSync("bash", { cwd: folder, input: all, encoding: "utf8", timeout: 240_000 });
  return stdout.trim().split("\n").map(Number);
}

/**
 * Runs a script with bash in a folder with a program `check` that passes or fails. `check` logs each run to the file
 * `ran`.
 */
function execute(script: string, passes: boolean): { exit: number; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "proof-"));
  const code = passes ? 0 : 1;
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "check"), `#!/bin/sh\necho "$# ${code}" >> ${folder}/ran\nexit ${code}\n`, {
    mode: 0o755,
  });
  const { status } = spawnSync("bash", ["-c", script], { cwd: folder, stdio: "ignore", timeout: 240_000 });
  return { exit: status ?? 1, folder };
}

const verdictIn = (folder: string, agent: string, line: string, exit: number) =>
  judge({
    agent,
    rules: { commands: ["./check"] },
    folders: [folder],
    acts: [
      { edit: join(folder, "a.ts"), in: folder },
      { run: line, exit, in: folder },
    ],
  }).verdict;

/** Runs a line as the agent does, and compares the verdict with the log of `check`. */
function checkRun(line: string, agent: string, script: (line: string) => string, passes: boolean): void {
  const { exit, folder } = execute(script(line), passes);
  const verdict = verdictIn(folder, agent, line, exit);
  const ran = existsSync(join(folder, "ran")) ? readFileSync(join(folder, "ran"), "utf8") : "";
  const what = `${agent}: ${line}`;
  if (verdict === "verified") expect(ran, what).to.match(/^(?:.* 0\n)+$/);
  if (verdict === "contradicted") expect(ran, what).to.not.match(/ 0\n$/);
}

describe("the verdict of a proof", () => {
  for (const row of TABLE)
    it(`is ${row.verdict} for ${row.honest ? "honest" : "dishonest"} work: ${row.name}`, () => {
      const { verdict, reason } = judge(row);
      expect(verdict, reason).to.equal(row.verdict);
      expect(reason.length).to.be.within(1, 400);
    });

  it("is never verified for dishonest work, and verified for 95 % of honest work", () => {
    const verified = (honest: boolean) =>
      TABLE.filter((row) => row.honest === honest && judge(row).verdict === "verified").length;
    const honest = TABLE.filter((row) => row.honest).length;
    expect(TABLE.length).to.be.at.least(80);
    expect(verified(false)).to.equal(0);
    expect(verified(true) / honest).to.be.at.least(0.95);
  });

  it("is never verified for a failed command in any shell line, and verified only if the command ran and passed", () => {
    fc.assert(
      fc.property(lines, fc.constantFrom(...SHELLS), fc.boolean(), (line, [agent, script], passes) => {
        // A line that is unproven for every exit code need not be run.
        if (EXITS.every((exit) => verdictIn(tmpdir(), agent, line, exit) === "unproven")) return;
        checkRun(line, agent, script, passes);
      }),
      { numRuns: scaleRuns(1_500) },
    );
  }).timeout(300_000);

  for (const [at, [agent, script]] of SHELLS.entries())
    it(`is never verified for a failed command in any form of line that ${agent} runs (${at})`, () => {
      const accepted = FORMS.filter((line) => verdictIn(tmpdir(), agent, line, 0) === "verified");
      const exits = exitsOf(accepted.map(script));
      expect(exits.length).to.equal(accepted.length);
      expect(accepted.filter((_, at) => exits[at] === 0)).to.deep.equal([]);
      expect(accepted).to.include("./check").and.to.include("cd . && ./check");
      expect(FORMS.length).to.be.greaterThan(accepted.length * 5);
    }).timeout(60_000);
});

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { TestAgent } from "../tracker/work.ts";
import type { Workspace } from "../workspace.ts";

/**
 * Script that stands in for Claude Code. The script reads the prompt, records an event in the given session, and does
 * what the title of the issue says. For "prove: …" the script reports two commands as Claude Code's hooks do.
 */
const AGENT = `#!${process.execPath}
const { execFileSync, spawn } = require("node:child_process");
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const prompt = readFileSync(0, "utf8");
const issue = JSON.parse(/<issue>\\n([\\s\\S]*?)\\n<\\/issue>/.exec(prompt)[1]);
const session = process.argv[process.argv.indexOf("--session-id") + 1];
appendFileSync(process.env.RUNS, JSON.stringify({ id: issue.identifier, args: process.argv.slice(2), cwd: process.cwd(), pwd: process.env.PWD, prompt }) + "\\n");
const event = { event_id: crypto.randomUUID(), session_id: session, primitive_name: "claude", args: issue.title, result: "Done.",
  metadata: { "gen_ai.usage.cost": 0.25 } };
const headers = { "x-api-key": process.env.INGEST_KEY, "content-type": "application/json" };
const proves = async (command) => {
  const turn = { session_id: session, cwd: process.cwd(), prompt_id: crypto.randomUUID(), prompt };
  const call = { tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_" + crypto.randomUUID() };
  const response = { tool_response: { stdout: "ok", stderr: "", interrupted: false, isImage: false }, duration_ms: 1 };
  for (const hook of [{ hook_event_name: "UserPromptSubmit" }, { hook_event_name: "PreToolUse", ...call }, { hook_event_name: "PostToolUse", ...call, ...response }])
    await fetch(process.env.URL_OF_SERVER + "/api/v1/hooks/claude-code", { method: "POST", headers, body: JSON.stringify({ ...turn, ...hook }) });
};
(async () => {
  await fetch(process.env.URL_OF_SERVER + "/api/v1/capture-event", { method: "POST", headers, body: JSON.stringify(event) });
  if (issue.title.startsWith("hang")) {
    spawn("sleep", ["600"], { stdio: "ignore" });
    writeFileSync("half.txt", "half");
    setInterval(() => {}, 1000);
    return;
  }
  writeFileSync(issue.identifier + ".txt", issue.title);
  if (issue.title.startsWith("prove")) for (const command of ["npm test", "npm run lint"]) await proves(command);
  if (issue.title.startsWith("dirty")) return;
  execFileSync("git", ["add", "."]);
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--allow-empty", "-qm", issue.identifier]);
  if (issue.title.startsWith("fail")) {
    process.stdout.write(process.env.SAYS ?? "");
    console.error("out of \\x1b[31mcredit");
    process.exitCode = 3;
  }
})();
`;

/** Attempt at an issue, as noted by the stand-in for the agent. */
interface Attempt {
  id: string;
  args: string[];
  cwd: string;
  /** Working directory according to the environment. */
  pwd: string;
  prompt: string;
}

/** Machine on which `trackway run` starts agents: a home folder with the agent on the path, and a repository. */
export interface RunnerMachine {
  bin: string;
  repository: string;
  git(...args: string[]): string;
  /** Starts `trackway run`. */
  start(...args: string[]): ChildProcessWithoutNullStreams;
  /** All attempts until now. */
  attempts(): Attempt[];
  /** Identifiers of the issues that have a worktree. */
  worktrees(): string[];
}

/** Creates a machine whose repository has one commit. `says` is the output of an agent that fails. */
export function createRunnerMachine({ url, ingestKey }: Workspace, { token }: TestAgent, says = ""): RunnerMachine {
  const home = mkdtempSync(join(tmpdir(), "trackway-run-"));
  const [bin, repository] = [join(home, "bin"), join(home, "code")];
  for (const folder of [bin, repository]) mkdirSync(folder);
  writeFileSync(join(bin, "claude"), AGENT);
  chmodSync(join(bin, "claude"), 0o755);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "Begin");
  const runs = join(home, "runs");
  const env = {
    ...{ HOME: home, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`, RUNS: runs },
    ...{ TRACKWAY_URL: url, TRACKWAY_API_KEY: token, INGEST_KEY: ingestKey, URL_OF_SERVER: url },
    SAYS: says,
  };
  const trees = join(repository, ".trackway", "worktrees");
  return {
    ...{ bin, repository, git },
    start(...args) {
      const command = [resolve("cli/bin.js"), "run", "--agent", "claude-code", "--least-free", "0", ...args];
      return spawn(process.execPath, command, { cwd: repository, env });
    },
    attempts: () =>
      existsSync(runs)
        ? readFileSync(runs, "utf8")
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : [],
    worktrees: () => (existsSync(trees) ? readdirSync(trees) : []),
  };
}

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Bench, makeIssue, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";

const ISSUES = 20;
/** Time in ms after which the claims of a killed run have expired. */
const LEASE_MS = 310_000;

/** Command that proves the work. Only the exit code shows the proof. */
const PROOF = "npm test";

/** Moves of a session that works on an issue. The folder has the name of the issue. */
const WORK = [
  [{ shell: "basename $PWD > work.txt" }],
  [{ shell: PROOF }],
  [{ shell: "git add --all && git commit --quiet --allow-empty --message Work && git log -1 --oneline" }],
  [{ say: "Done." }],
];

/**
 * Makes `trackway run` process twenty issues that block each other, two at a time, with a real agent and a scripted
 * model. The team requires a proof. The first run is killed during the work, with its agents. Returns the faults
 * afterwards.
 */
export async function runIssues(name: string, program: Program, bin: string): Promise<string[]> {
  const bench = await setUp(program, bin);
  try {
    bench.trackway(["connect", name, "--yes", "--no-probe"]);
    // The agent creates its files at the first start, which two concurrent agents would do at the same time.
    await bench.turn();
    say(WORK);
    const folder = repository(bench.home);
    await makeIssues(bench);
    const first = start(bench, name, folder);
    // The first two issues are completed, and two other issues are in progress.
    while (worktrees(folder).length < 2 || git(folder, "branch").split("\n").length <= 5) {
      if (first.exitCode !== null) return ["the first run ended by itself"];
      await sleep(100);
    }
    await sleep(2_000);
    first.kill("SIGKILL");
    for (const [, group] of git(folder, "worktree", "list", "--porcelain").matchAll(/agent (\d+)/g))
      kill(Number(group));
    console.log(`the first run was killed amid ${worktrees(folder).join(" and ")}`);
    await ended(start(bench, name, folder));
    if ((await open(bench)).length > 0) await sleep(LEASE_MS);
    await ended(start(bench, name, folder));
    // A job links sessions within five seconds.
    await sleep(6_000);
    return await faults(bench, folder);
  } finally {
    await bench.close();
  }
}

const git = (folder: string, ...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });

function repository(home: string): string {
  const folder = join(home, "code");
  mkdirSync(folder);
  git(folder, "init", "-q", "-b", "main");
  for (const [key, value] of [
    ["user.name", "a"],
    ["user.email", "a@example.com"],
  ])
    git(folder, "config", String(key), String(value));
  const scripts = { test: 'test "$(cat work.txt)" = "$(basename $PWD)"' };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "work", scripts }));
  git(folder, "add", "package.json");
  git(folder, "commit", "-q", "-m", "Begin");
  return folder;
}

function worktrees(folder: string): string[] {
  const path = join(folder, ".trackway", "worktrees");
  return existsSync(path) ? readdirSync(path) : [];
}

function workOn(folder: string, branch: string): string | undefined {
  try {
    return git(folder, "show", `${branch}:work.txt`).trim();
  } catch {
    return undefined;
  }
}

function kill(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // The process had already ended.
  }
}

async function makeIssues(bench: Bench): Promise<void> {
  const { teams } = await ask(bench, "{ teams { nodes { id } } }");
  const proof = { commands: [PROOF], commit: true };
  const demand = "mutation ($id: String!, $input: TeamUpdateInput!) { teamUpdate(id: $id, input: $input) { success } }";
  await ask(bench, demand, { id: teams.nodes[0].id, input: { proof } });
  const ids: string[] = [];
  for (let n = 0; n < ISSUES; n++) {
    ids.push(await makeIssue(bench, `Work ${n}`));
    if (n < 2) continue;
    const relation = { type: "blocks", issueId: ids[Math.floor((n - 2) / 2)], relatedIssueId: ids[n] };
    const mutation = "mutation ($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }";
    await ask(bench, mutation, { input: relation });
  }
}

function start({ home, env }: Bench, name: string, folder: string) {
  const args = ["run", "--agent", name, "--parallel", "2", "--bypass-permissions", "--least-free", "100"];
  return spawn(resolve("trackway"), args, {
    cwd: folder,
    env: { ...env, HOME: home },
    stdio: ["ignore", "inherit", "inherit"],
  });
}

const ended = (child: ReturnType<typeof start>) => once(child, "exit");

const ALL =
  "{ issues(first: 50) { nodes { identifier branchName state { type } proof { verdict reason } comments { nodes { body } } sessions { nodes { id } } } } }";

const open = async (bench: Bench): Promise<any[]> =>
  (await ask(bench, ALL)).issues.nodes.filter(({ state }: any) => state.type !== "completed");

async function faults(bench: Bench, folder: string): Promise<string[]> {
  const { nodes } = (await ask(bench, ALL)).issues;
  const wrong = nodes.flatMap(({ identifier, branchName, state, proof, comments, sessions }: any) => {
    const finished = comments.nodes.filter(({ body }: any) => body.startsWith("Commit "));
    return [
      ...(state.type === "completed" ? [] : [`${identifier} is ${state.type}`]),
      ...(finished.length === 1 ? [] : [`${identifier} was finished ${finished.length} times`]),
      ...(proof?.verdict === "verified" ? [] : [`${identifier} is not proven: ${proof?.reason}`]),
      ...(sessions.nodes.length > 0 ? [] : [`${identifier} has no session`]),
      ...(workOn(folder, branchName) === identifier ? [] : [`${identifier} has no work`]),
    ];
  });
  return [...wrong, ...worktrees(folder).map((left) => `a worktree of ${left} is left`)];
}

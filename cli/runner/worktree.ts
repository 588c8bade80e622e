import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, Failure } from "../failure.ts";
import { runGit } from "../git.ts";

/** Runs git in a folder. Answers its output without the line's end. @throws Failure with the line that says why */
export const git = async (folder: string, ...args: string[]): Promise<string> => (await runGit(folder, args)).trimEnd();

/** The same, and undefined where git refuses. */
const gitIf = (folder: string, ...args: string[]): Promise<string | undefined> =>
  git(folder, ...args).catch(() => undefined);

const [TRIES, AGAIN_MS] = [10, 50];
const IS_CHANGING = /failed to read \S+\/commondir|could not lock/;
let last: Promise<unknown> = Promise.resolve();

/**
 * The same for commands that read all working trees: one at a time, and again where another process just makes or
 * removes a tree, whose files git misses then.
 */
function gitOfTrees(folder: string, ...args: string[]): Promise<string> {
  const run = async (tries = 1): Promise<string> => {
    try {
      return await git(folder, ...args);
    } catch (error) {
      if (tries === TRIES || !IS_CHANGING.test((error as Failure).message)) throw error;
    }
    await sleep(tries * AGAIN_MS);
    return run(tries + 1);
  };
  const next = last.then(() => run());
  last = next.catch(() => undefined);
  return next;
}

/** The repository in which issues are worked on: its main working tree, and the folder of others, which git does not see. */
export interface Repository {
  root: string;
  worktrees: string;
}

/** A working tree of git that one issue is worked on in. */
export interface Worktree {
  path: string;
  branch: string;
}

/** State of a tree at its end: the newest commit that its branch alone has, and if something was uncommitted. */
export interface Left {
  commit: string;
  isDirty: boolean;
}

/** Finds the repository that a folder is in. @throws Failure where there is none, or nothing is committed */
export async function repositoryOf(folder: string): Promise<Repository> {
  const common = await gitIf(folder, "rev-parse", "--path-format=absolute", "--git-common-dir");
  if (common === undefined || basename(common) !== ".git")
    throw new Failure("This folder is in no working tree of git.", { exit: EXIT.usage, cure: "cd to the repository" });
  if ((await gitIf(folder, "rev-parse", "--verify", "HEAD")) === undefined)
    throw new Failure("The repository has no commit to begin from.", { exit: EXIT.usage, cure: "git commit" });
  const root = dirname(common);
  return { root, worktrees: join(root, ".trackway", "worktrees") };
}

/** Identifiers name folders, and come from the server. */
const IDENTIFIER = /^[A-Z][A-Z0-9]{0,6}-\d{1,12}$/;

/**
 * Makes a working tree for an issue, on its branch: a new one, or the one that an earlier attempt left.
 * @throws Failure where git refuses, or a name is none
 */
export async function addWorktree(
  { root, worktrees }: Repository,
  { identifier, branchName: branch }: { identifier: string; branchName: string },
): Promise<Worktree> {
  const isBranch = !branch.startsWith("-") && (await gitIf(root, "check-ref-format", "--branch", branch));
  if (!IDENTIFIER.test(identifier) || !isBranch) throw new Failure(`${identifier} has no name for a branch.`);
  await mkdir(worktrees, { recursive: true });
  await writeFile(join(dirname(worktrees), ".gitignore"), "*\n");
  const path = join(worktrees, identifier);
  const isThere = (await gitIf(root, "rev-parse", "--verify", `refs/heads/${branch}`)) !== undefined;
  // Apart from the tree, which may have to be tried again.
  if (!isThere) await gitOfTrees(root, "branch", branch, "HEAD");
  await gitOfTrees(root, "worktree", "add", "--lock", "--reason", `trackway run ${process.pid}`, path, branch);
  return { path, branch };
}

/** Notes the agent that works in a tree: while it lives, the tree is not taken for a left one. */
export async function noteAgent({ root }: Repository, { path }: Worktree, agent: number): Promise<void> {
  await gitOfTrees(root, "worktree", "unlock", path);
  await gitOfTrees(root, "worktree", "lock", "--reason", `trackway run ${process.pid}, agent ${agent}`, path);
}

/**
 * Removes a tree. What is not committed is committed to its branch first, so nothing is lost. A branch without a commit
 * of its own goes too.
 */
export async function removeWorktree({ root }: Repository, tree: Worktree, message: string): Promise<Left> {
  const { path, branch } = tree;
  const isDirty = (await git(path, "status", "--porcelain")) !== "";
  if (isDirty) {
    await git(path, "add", "--all");
    const own = ["-c", "user.name=trackway run", "-c", "user.email=trackway@localhost"];
    const author = (await gitIf(path, "config", "user.email")) ? [] : own;
    await git(path, ...author, "commit", "--no-verify", "--quiet", "--message", message);
  }
  const head = await git(root, "rev-parse", "HEAD");
  const commit = await git(root, "rev-list", "--max-count=1", `refs/heads/${branch}`, "--not", head);
  // Twice, as it is locked.
  await gitOfTrees(root, "worktree", "remove", "--force", "--force", path);
  if (commit === "") await gitOfTrees(root, "branch", "--delete", "--force", branch).catch(() => undefined);
  return { commit, isDirty };
}

/**
 * Removes the trees that a run left which was killed, as above. A tree is left while the run or its agent lives. Answers
 * the identifiers of the issues.
 */
export async function removeLeft(repository: Repository): Promise<string[]> {
  const { root, worktrees } = repository;
  const removed: string[] = [];
  for (const entry of (await gitOfTrees(root, "worktree", "list", "--porcelain")).split("\n\n")) {
    const value = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(entry)?.[1] ?? "";
    const [path, branch] = [value("worktree"), value("branch").replace(/^refs\/heads\//, "")];
    const workers = [...value("locked").matchAll(/\b(?:run|agent) (\d+)/g)].map(([, id]) => Number(id));
    if (dirname(path) !== worktrees || branch === "" || workers.some(isAlive)) continue;
    if (await gitIf(path, "rev-parse", "HEAD"))
      await removeWorktree(repository, { path, branch }, `${basename(path)}: work of a run that was killed`);
    else {
      await rm(path, { recursive: true, force: true });
      await gitIf(root, "worktree", "unlock", path);
      await gitOfTrees(root, "worktree", "prune").catch(() => undefined);
    }
    removed.push(basename(path));
  }
  return removed;
}

/** Tells whether a process lives. One that has ended may wait for its parent to notice, as some containers never do. */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return !/\) Z /.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

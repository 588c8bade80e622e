import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EXIT, Failure } from "../failure.ts";
import { git, gitIf } from "./git.ts";

/** A working tree of git that one issue is worked on in. */
export interface Worktree {
  path: string;
  branch: string;
  /** The last commit that the branch shares with the repository's own. */
  base: string;
}

/** The repository in which issues are worked on. */
export interface Repository {
  /** The folder of its main working tree. */
  root: string;
  /** The folder of the working trees, which git does not see. */
  worktrees: string;
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
  { identifier, branchName }: { identifier: string; branchName: string },
): Promise<Worktree> {
  const isBranch = !branchName.startsWith("-") && (await gitIf(root, "check-ref-format", "--branch", branchName));
  if (!IDENTIFIER.test(identifier) || !isBranch) throw new Failure(`${identifier} has no name for a branch.`);
  await mkdir(worktrees, { recursive: true });
  await writeFile(join(dirname(worktrees), ".gitignore"), "*\n");
  const path = join(worktrees, identifier);
  const ref = `refs/heads/${branchName}`;
  const isThere = (await gitIf(root, "rev-parse", "--verify", ref)) !== undefined;
  const lock = ["--lock", "--reason", lockReason()];
  await git(root, "worktree", "add", ...lock, ...(isThere ? [path, branchName] : ["-b", branchName, path, "HEAD"]));
  const from = await git(root, "rev-parse", "HEAD");
  return { path, branch: branchName, base: await git(path, "merge-base", "HEAD", from) };
}

/** Says who works in a tree: this process, and the agent that it started. */
const lockReason = (agent?: number): string =>
  `trackway run ${process.pid}${agent === undefined ? "" : `, agent ${agent}`}`;

/** Notes the agent that works in a tree: while it lives, the tree is not taken for a left one. */
export async function noteAgent({ root }: Repository, { path }: Worktree, agent: number): Promise<void> {
  await gitIf(root, "worktree", "unlock", path);
  await gitIf(root, "worktree", "lock", "--reason", lockReason(agent), path);
}

/** The state of the work in a tree. */
export interface Work {
  /** Its commits since the base, the newest first. */
  commits: string[];
  isDirty: boolean;
}

/** Reads what was done in a tree. Files that git ignores count as nothing. */
export async function workIn({ path, base }: Pick<Worktree, "path" | "base">): Promise<Work> {
  const commits = await git(path, "rev-list", "--max-count=1000", `${base}..HEAD`);
  const status = await git(path, "status", "--porcelain");
  return { commits: commits.split("\n").filter(Boolean), isDirty: status !== "" };
}

/**
 * Removes a tree. What is not committed is committed to its branch first, so nothing is lost. Answers true if there was
 * something. A branch without a commit of its own goes too.
 */
export async function removeWorktree(
  { root }: Repository,
  { path, branch, base }: Worktree,
  message: string,
): Promise<boolean> {
  const { isDirty } = await workIn({ path, base });
  if (isDirty) {
    await git(path, "add", "--all");
    const name = ["-c", "user.name=trackway run", "-c", "user.email=trackway@localhost"];
    const author = (await gitIf(path, "config", "user.email")) ? [] : name;
    await git(path, ...author, "commit", "--no-verify", "--quiet", "--message", message);
  }
  await gitIf(root, "worktree", "unlock", path);
  await git(root, "worktree", "remove", "--force", path);
  const isUnchanged = (await gitIf(root, "rev-parse", `refs/heads/${branch}`)) === base;
  if (isUnchanged && (await gitIf(root, "merge-base", "--is-ancestor", base, "HEAD")) !== undefined)
    await gitIf(root, "branch", "--delete", "--force", branch);
  return isDirty;
}

/**
 * Removes the trees that a run left which was killed, as above. A tree is left while the run or its agent lives. Answers
 * the identifiers of the issues.
 */
export async function removeLeft(repository: Repository): Promise<string[]> {
  const removed: string[] = [];
  for (const { path, branch, reason } of await listed(repository)) {
    if (dirname(path) !== repository.worktrees || branch === undefined || isWorked(reason)) continue;
    const base = await git(path, "rev-parse", "HEAD").catch(() => undefined);
    if (base === undefined) {
      await rm(path, { recursive: true, force: true });
      await gitIf(repository.root, "worktree", "prune");
    } else await removeWorktree(repository, { path, branch, base }, `${basename(path)}: work of a run that was killed`);
    removed.push(basename(path));
  }
  return removed;
}

interface Listed {
  path: string;
  branch: string | undefined;
  reason: string;
}

async function listed({ root }: Repository): Promise<Listed[]> {
  const text = await git(root, "worktree", "list", "--porcelain");
  return text.split("\n\n").map((entry) => {
    const value = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(entry)?.[1];
    return {
      path: value("worktree") ?? "",
      branch: value("branch")?.replace(/^refs\/heads\//, ""),
      reason: value("locked") ?? "",
    };
  });
}

/** Tells whether a process has ended and only waits for its parent to notice, as some containers never do. */
function isZombie(id: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Tells whether a process that a lock names lives. */
const isWorked = (reason: string): boolean =>
  [...reason.matchAll(/\b(?:run|agent) (\d+)/g)].some(([, id]) => isAlive(Number(id)));

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return !isZombie(id);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

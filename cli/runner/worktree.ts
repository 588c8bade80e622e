import { readFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { writeSettingsFile } from "../files/whole-file.ts";
import { runGit } from "../git.ts";

/**
 * Runs git in a folder. Returns the output without the last line end. @throws CommandFailure with the first error line of git
 */
export const readGit = async (folder: string, ...args: string[]): Promise<string> =>
  (await runGit(folder, args)).trimEnd();

/** Runs git like `readGit`, but returns undefined if git fails. */
const readGitIfPossible = (folder: string, ...args: string[]): Promise<string | undefined> =>
  readGit(folder, ...args).catch(() => undefined);

const [TRIES, AGAIN_MS] = [10, 50];
const IS_CHANGING = /failed to read \S+\/commondir|could not lock/;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a git command that reads all worktrees. Commands run one at a time. A command that reads all worktrees fails if
 * another process creates or removes a worktree at the same moment, because files are missing then. In that case, the
 * command is repeated.
 */
function runWorktreeCommand(folder: string, ...args: string[]): Promise<string> {
  const run = async (tries = 1): Promise<string> => {
    try {
      return await readGit(folder, ...args);
    } catch (error) {
      if (tries === TRIES || !IS_CHANGING.test((error as CommandFailure).message)) throw error;
    }
    await sleep(tries * AGAIN_MS);
    return run(tries + 1);
  };
  const next = last.then(() => run());
  last = next.catch(() => undefined);
  return next;
}

/**
 * The repository in which a run works. `root` is the main worktree of the repository. `worktrees` is the folder for the
 * worktrees of the run, and git ignores this folder.
 */
export interface Repository {
  root: string;
  worktrees: string;
}

/** The git worktree of one issue. */
export interface Worktree {
  path: string;
  branch: string;
}

/**
 * Rest of a removed worktree. `commit` is the newest commit of the worktree's branch that HEAD of the main
 * worktree does not contain, or an empty string. `isDirty` is true if the worktree had uncommitted changes.
 */
export interface FinalWorktreeState {
  commit: string;
  isDirty: boolean;
}

/** Finds the repository that contains a folder. @throws CommandFailure if there is no repository or no commit */
export async function findRepository(folder: string): Promise<Repository> {
  const common = await readGitIfPossible(folder, "rev-parse", "--path-format=absolute", "--git-common-dir");
  if (common === undefined || basename(common) !== ".git")
    throw new CommandFailure("This folder is not in a git repository.", {
      exit: EXIT_CODES.usage,
      cure: "cd to the repository",
    });
  if ((await readGitIfPossible(folder, "rev-parse", "--verify", "HEAD")) === undefined)
    throw new CommandFailure("The repository has no commits.", { exit: EXIT_CODES.usage, cure: "git commit" });
  const root = dirname(common);
  return { root, worktrees: join(root, ".trackway", "worktrees") };
}

/** Identifiers come from the server and become names of folders, so their form is checked. */
const IDENTIFIER = /^[A-Z][A-Z0-9]{0,6}-\d{1,12}$/;

/**
 * Creates a worktree for an issue and checks out the branch. If an earlier attempt created the branch, the
 * worktree uses that branch.
 * @throws CommandFailure if git refuses, or if a name is invalid
 */
export async function addWorktree(
  { root, worktrees }: Repository,
  { identifier, branchName: branch }: { identifier: string; branchName: string },
): Promise<Worktree> {
  const isBranch = !branch.startsWith("-") && (await readGitIfPossible(root, "check-ref-format", "--branch", branch));
  if (!IDENTIFIER.test(identifier) || !isBranch) throw new CommandFailure(`${identifier} has no branch name.`);
  await mkdir(worktrees, { recursive: true });
  await writeSettingsFile(join(dirname(worktrees), ".gitignore"), "*\n", 0o644);
  const path = join(worktrees, identifier);
  const isThere = (await readGitIfPossible(root, "rev-parse", "--verify", `refs/heads/${branch}`)) !== undefined;
  // Creates the branch before the worktree and in a separate command, because adding the worktree may need several
  // attempts and each attempt needs the branch.
  if (!isThere) await runWorktreeCommand(root, "branch", branch, "HEAD");
  await runWorktreeCommand(root, "worktree", "add", "--lock", "--reason", `trackway run ${process.pid}`, path, branch);
  return { path, branch };
}

/**
 * Records the process id of the agent in the lock of its worktree, so that `removeAbandonedWorktrees` keeps the worktree while the
 * agent runs.
 */
export async function lockWorktreeForAgent({ root }: Repository, { path }: Worktree, agent: number): Promise<void> {
  await runWorktreeCommand(root, "worktree", "unlock", path);
  await runWorktreeCommand(root, "worktree", "lock", "--reason", `trackway run ${process.pid}, agent ${agent}`, path);
}

/**
 * Removes a worktree. First commits uncommitted changes to the branch, so that nothing is lost. Deletes a branch
 * without own commits.
 */
export async function removeWorktree(
  { root }: Repository,
  tree: Worktree,
  message: string,
): Promise<FinalWorktreeState> {
  const { path, branch } = tree;
  const isDirty = (await readGit(path, "status", "--porcelain")) !== "";
  if (isDirty) {
    await readGit(path, "add", "--all");
    const own = ["-c", "user.name=trackway run", "-c", "user.email=trackway@localhost"];
    const author = (await readGitIfPossible(path, "config", "user.email")) ? [] : own;
    await readGit(path, ...author, "commit", "--no-verify", "--quiet", "--message", message);
  }
  const head = await readGit(root, "rev-parse", "HEAD");
  const commit = await readGit(root, "rev-list", "--max-count=1", `refs/heads/${branch}`, "--not", head);
  // `--force` is given twice, because the worktree is locked.
  await runWorktreeCommand(root, "worktree", "remove", "--force", "--force", path);
  if (commit === "") await runWorktreeCommand(root, "branch", "--delete", "--force", branch).catch(() => undefined);
  return { commit, isDirty };
}

/**
 * Removes the worktrees that killed runs left behind, and commits their uncommitted changes first. Keeps a worktree if
 * the run or the agent of the worktree still runs. Returns the identifiers of the issues whose worktrees were removed.
 */
export async function removeAbandonedWorktrees(repository: Repository): Promise<string[]> {
  const { root, worktrees } = repository;
  const removed: string[] = [];
  for (const entry of (await runWorktreeCommand(root, "worktree", "list", "--porcelain")).split("\n\n")) {
    const value = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(entry)?.[1] ?? "";
    const [path, branch] = [value("worktree"), value("branch").replace(/^refs\/heads\//, "")];
    const workers = [...value("locked").matchAll(/\b(?:run|agent) (\d+)/g)].map(([, id]) => Number(id));
    if (dirname(path) !== worktrees || branch === "" || workers.some(isAlive)) continue;
    if (await readGitIfPossible(path, "rev-parse", "HEAD"))
      await removeWorktree(repository, { path, branch }, `${basename(path)}: work of an interrupted run`);
    else {
      await rm(path, { recursive: true, force: true });
      await readGitIfPossible(root, "worktree", "unlock", path);
      await runWorktreeCommand(root, "worktree", "prune").catch(() => undefined);
    }
    removed.push(basename(path));
  }
  return removed;
}

/**
 * Returns true if a process is running. A zombie counts as ended, because in some containers no parent process ever
 * reaps it.
 */
function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return !/\) Z /.test(readFileSync(`/proc/${id}/stat`, "utf8"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

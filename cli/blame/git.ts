import { realpath } from "node:fs/promises";
import { EXIT_CODES } from "../failure.ts";
import { runGit } from "../git.ts";

/** Consecutive lines that a commit added. */
export interface AddedBlock {
  /** Line number in the file of the block's first line. The first line of a file has the number 1. */
  from: number;
  lines: string[];
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Returns the blocks of added lines in a diff without context (`-U0`). */
function blocksIn(diff: string): AddedBlock[] {
  const rows = diff.split("\n");
  const blocks: AddedBlock[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const [found, removed = "1", from, added = "1"] = HUNK.exec(rows[at] ?? "") ?? [];
    if (found === undefined) continue;
    const lines: string[] = [];
    let [minus, plus] = [Number(removed), Number(added)];
    while (minus + plus > 0 && at + 1 < rows.length) {
      at += 1;
      const row = rows[at] ?? "";
      if (row.startsWith("-")) minus -= 1;
      else if (row.startsWith("+")) {
        plus -= 1;
        lines.push(row.slice(1).replace(/\r$/, ""));
      }
    }
    if (lines.length > 0) blocks.push({ from: Number(from), lines });
  }
  return blocks;
}

/** Thrown with the reason if the search for the writer of a line would take too long. */
export class UnknownWriterError extends Error {}

/**
 * EARLIER is the maximum number of earlier commits of a file that are read. CANDIDATES is the maximum number of commits
 * that are searched for the original of a commit that was rewritten, for example by a rebase.
 */
const [EARLIER, CANDIDATES] = [2_000, 50_000];
/**
 * Git options for a predictable output. With these options, git starts no programs that the repository's settings name,
 * and no setting changes the format of the output.
 */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--inter-hunk-context=0"];
const SETTINGS = ["-c", "core.quotePath=false", "-c", "log.showSignature=false"];

/** A line of a file, with the commit that git blame reports. */
export interface BlamedLine {
  line: number;
  text: string;
  /** Undefined for a line that is not committed. */
  commit: string | undefined;
  /** Path of the file in that commit. `at` is the number of the line in that commit. */
  path: string;
  at: number;
}

export interface GitCommit {
  id: string;
  author: string;
  email: string;
  authored: number;
  committed: number;
  /** First parent; undefined for a root commit. */
  parent: string | undefined;
  subject: string;
}

const git = (folder: string, args: readonly string[], input = ""): Promise<string> =>
  runGit(folder, [...SETTINGS, ...args], { input, exit: EXIT_CODES.usage });

/**
 * Returns the folders of a repository: first the working tree that contains the folder, then the other working trees.
 */
export async function listWorkingTrees(folder: string): Promise<string[]> {
  const top = (await git(folder, ["rev-parse", "--show-toplevel"])).trim();
  const listed = (await git(folder, ["worktree", "list", "--porcelain"])).matchAll(/^worktree (.+)$/gm);
  const all = [top, ...[...listed].map(([, path = ""]) => path)];
  const real = await Promise.all(all.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...all, ...real])];
}

/** Returns the lines of a range of a file. `path` is relative to `folder`. */
export async function readBlamedLines(folder: string, path: string, range: string): Promise<BlamedLine[]> {
  const text = await git(folder, ["blame", "--porcelain", ...(range ? ["-L", range] : []), "--", path]);
  const lines: BlamedLine[] = [];
  const paths = new Map<string, string>();
  let head: { commit: string; at: number; line: number } | undefined;
  for (const row of text.split("\n")) {
    const [, commit = "", at, line] = /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(row) ?? [];
    if (!head && line) head = { commit, at: Number(at), line: Number(line) };
    else if (head && row.startsWith("filename ")) paths.set(head.commit, row.slice("filename ".length));
    else if (head && row.startsWith("\t")) {
      const { commit: id, ...place } = head;
      const isCommitted = !/^0+$/.test(id);
      lines.push({
        ...place,
        text: row.slice(1).replace(/\r$/, ""),
        commit: isCommitted ? id : undefined,
        path: paths.get(id) ?? path,
      });
      head = undefined;
    }
  }
  return lines;
}

const FORMAT = "--format=%H%x00%an%x00%ae%x00%at%x00%ct%x00%P%x00%s";

const commitOf = (row: string): GitCommit => {
  const [id = "", author = "", email = "", authored, committed, parents = "", subject = ""] = row.split("\0");
  const parent = parents.split(" ")[0] || undefined;
  return { id, author, email, authored: Number(authored), committed: Number(committed), parent, subject };
};

const commitsIn = (text: string): GitCommit[] => text.split("\n").filter(Boolean).map(commitOf);

/** Returns the commits with the given full ids. */
export async function readCommits(folder: string, ids: readonly string[]): Promise<GitCommit[]> {
  if (ids.length === 0) return [];
  return commitsIn(await git(folder, ["log", "--no-walk=unsorted", "--stdin", FORMAT], `${ids.join("\n")}\n`));
}

/**
 * Returns the commits of this repository with the given ids. The ids may be full or abbreviated. Also finds commits
 * that are not on any branch.
 */
export async function findCommits(folder: string, names: readonly string[]): Promise<GitCommit[]> {
  const found = await git(folder, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], `${names.join("\n")}\n`);
  return readCommits(
    folder,
    [...found.matchAll(/^([0-9a-f]{40,64}) commit$/gm)].map(([, id = ""]) => id),
  );
}

/**
 * Finds, for each commit, other commits with the same author and the same author time, because rebase, amend and
 * cherry-pick keep both. The search includes the reflog, so it also finds commits that are no longer on any branch.
 */
export async function findRewrittenCommits(
  folder: string,
  commits: readonly GitCommit[],
): Promise<Map<string, GitCommit[]>> {
  const since = Math.min(...commits.map(({ authored }) => authored)) - 1;
  const args = ["log", "--all", "--reflog", `--since=${since}`, "-n", String(CANDIDATES), FORMAT];
  const all = commits.length === 0 ? [] : commitsIn(await git(folder, args));
  const isForm = (one: GitCommit, other: GitCommit) =>
    one.id !== other.id && one.authored === other.authored && one.email === other.email && one.author === other.author;
  return new Map(commits.map((commit) => [commit.id, all.filter((each) => isForm(commit, each))]));
}

/** Returns true if the first commit is an ancestor of the second. */
export const isAncestor = (folder: string, one: string, other: string): Promise<boolean> =>
  git(folder, ["merge-base", "--is-ancestor", one, other]).then(
    () => true,
    () => false,
  );

/** Returns the patch id of each commit, by commit id. Commits without a patch are omitted. */
export async function readPatchIds(folder: string, ids: readonly string[]): Promise<Map<string, string>> {
  const patches = await git(folder, ["show", ...PLAIN, ...ids]);
  const lines = (await git(folder, ["patch-id", "--stable"], patches)).split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split(" ").reverse() as [string, string]));
}

/** Returns the blocks of lines that a commit added to a file. Without a commit, returns the uncommitted blocks. */
export async function readAddedBlocks(
  folder: string,
  commit: GitCommit | undefined,
  path: string,
): Promise<AddedBlock[]> {
  const base = commit
    ? [commit.parent ?? (await git(folder, ["hash-object", "-t", "tree", "--stdin"])).trim(), commit.id]
    : ["HEAD"];
  return blocksIn(await git(folder, ["diff", "-U0", ...PLAIN, ...base, "--", path]));
}

/**
 * Returns every line that any commit before the given commit added to a file. Without a given commit, reads the commits
 * up to HEAD.
 * @throws UnknownWriterError if the file has too many earlier commits
 */
export async function readEarlierLines(
  folder: string,
  commit: GitCommit | undefined,
  path: string,
): Promise<ReadonlySet<string>> {
  const from = commit ? commit.parent : "HEAD";
  if (from === undefined) return new Set();
  const args = [
    "log",
    "-n",
    String(EARLIER),
    "--follow",
    "--format=format:commit",
    "-p",
    "-U0",
    ...PLAIN,
    from,
    "--",
    path,
  ];
  const text = await git(folder, args);
  if ((text.match(/^commit$/gm)?.length ?? 0) >= EARLIER)
    throw new UnknownWriterError(
      `at least ${EARLIER.toLocaleString("en")} commits changed the file before this commit`,
    );
  return new Set(blocksIn(text).flatMap(({ lines }) => lines));
}

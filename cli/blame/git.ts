import { realpath } from "node:fs/promises";
import { EXIT } from "../failure.ts";
import { runGit } from "../git.ts";

/** Lines that a commit added one after another. */
export interface Block {
  /** The number of the first of them in the file, from 1. */
  from: number;
  lines: string[];
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The blocks of added lines in a diff without context (`-U0`). */
function blocksIn(diff: string): Block[] {
  const rows = diff.split("\n");
  const blocks: Block[] = [];
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

/** The reason why it is not known who wrote some lines, where finding out would take too much. */
export class Unknown extends Error {}

/** Commits whose changes of a file are read, and commits among which the form before a rebase is searched for. */
const [EARLIER, CANDIDATES] = [2_000, 50_000];
/** Nothing that a repository's settings name is run, and none of them gives an answer another form. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--inter-hunk-context=0"];
const SETTINGS = ["-c", "core.quotePath=false", "-c", "log.showSignature=false"];

/** A line of a file, as git blame names the commit that it came with. */
export interface BlamedLine {
  line: number;
  text: string;
  /** Undefined for one that is not committed. */
  commit: string | undefined;
  /** The file's path and the line's number in that commit. */
  path: string;
  at: number;
}

/** A commit of the repository. Times are epoch seconds. */
export interface GitCommit {
  id: string;
  author: string;
  email: string;
  authored: number;
  committed: number;
  /** The first one; undefined for a commit without. */
  parent: string | undefined;
  subject: string;
}

const git = (folder: string, args: readonly string[], input = ""): Promise<string> =>
  runGit(folder, [...SETTINGS, ...args], { input, exit: EXIT.usage });

/** The folders of the repository that a folder is in: the one above it first, then its other working trees. */
export async function foldersOf(folder: string): Promise<string[]> {
  const top = (await git(folder, ["rev-parse", "--show-toplevel"])).trim();
  const listed = (await git(folder, ["worktree", "list", "--porcelain"])).matchAll(/^worktree (.+)$/gm);
  const all = [top, ...[...listed].map(([, path = ""]) => path)];
  const real = await Promise.all(all.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...all, ...real])];
}

/** The lines of a file, from one to another. `path` is below `folder`. */
export async function linesOf(folder: string, path: string, range: string): Promise<BlamedLine[]> {
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

/** Commits by their whole ids. */
export async function commitsOf(folder: string, ids: readonly string[]): Promise<GitCommit[]> {
  if (ids.length === 0) return [];
  return commitsIn(await git(folder, ["log", "--no-walk=unsorted", "--stdin", FORMAT], `${ids.join("\n")}\n`));
}

/** Commits of this repository that have one of some names, whole or abbreviated, whether or not a branch has them. */
export async function commitsNamed(folder: string, names: readonly string[]): Promise<GitCommit[]> {
  const found = await git(folder, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], `${names.join("\n")}\n`);
  return commitsOf(
    folder,
    [...found.matchAll(/^([0-9a-f]{40,64}) commit$/gm)].map(([, id = ""]) => id),
  );
}

/**
 * The commits of the same author at the same second as each of some: rebase, amend and cherry-pick keep both. Those that
 * no branch has any more are found in git's log of references.
 */
export async function formsOf(folder: string, commits: readonly GitCommit[]): Promise<Map<string, GitCommit[]>> {
  const since = Math.min(...commits.map(({ authored }) => authored)) - 1;
  const args = ["log", "--all", "--reflog", `--since=${since}`, "-n", String(CANDIDATES), FORMAT];
  const all = commits.length === 0 ? [] : commitsIn(await git(folder, args));
  const isForm = (one: GitCommit, other: GitCommit) =>
    one.id !== other.id && one.authored === other.authored && one.email === other.email && one.author === other.author;
  return new Map(commits.map((commit) => [commit.id, all.filter((each) => isForm(commit, each))]));
}

/** True for a commit that another was made on top of. */
export const isBefore = (folder: string, one: string, other: string): Promise<boolean> =>
  git(folder, ["merge-base", "--is-ancestor", one, other]).then(
    () => true,
    () => false,
  );

/** The patch ids of commits that have a patch, by their ids. */
export async function patchIdsOf(folder: string, ids: readonly string[]): Promise<Map<string, string>> {
  const patches = await git(folder, ["show", ...PLAIN, ...ids]);
  const lines = (await git(folder, ["patch-id", "--stable"], patches)).split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split(" ").reverse() as [string, string]));
}

/** The blocks of lines that a commit added to a file; of a file that is not committed, what differs from the last commit. */
export async function addedBy(folder: string, commit: GitCommit | undefined, path: string): Promise<Block[]> {
  const base = commit
    ? [commit.parent ?? (await git(folder, ["hash-object", "-t", "tree", "--stdin"])).trim(), commit.id]
    : ["HEAD"];
  return blocksIn(await git(folder, ["diff", "-U0", ...PLAIN, ...base, "--", path]));
}

/** Every line that was ever added to a file before a commit. @throws Unknown where its past is too long to be read */
export async function addedBefore(
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
    throw new Unknown(`the file was changed by ${EARLIER.toLocaleString("en")} commits or more before this one`);
  return new Set(blocksIn(text).flatMap(({ lines }) => lines));
}

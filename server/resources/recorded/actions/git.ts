import { type CommandWords, splitCommands } from "../../../agents/shell-text.ts";
import type { Commit, Push } from "./action.ts";

/** Subcommands after which git prints the created commit. */
const COMMITTING = new Set(["commit", "cherry-pick", "revert"]);
/**
 * Matches the line in which git reports a created commit. The line may begin with `Output: `, because Gemini CLI and
 * Qwen Code write this word before the output.
 */
const COMMITTED = /^(?:Output: )?\[(?:(detached HEAD|[^\s\]]+) )?(?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)$/gm;
const PUSHED = /^ [ +*] (?:[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}|\[new branch\])\s+(\S+)\s+-> (\S+)/gm;
const OPTIONS_WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

/**
 * Returns the git subcommand that a command runs, and the words after the subcommand. Undefined if the command does not
 * run git.
 */
function gitIn(words: CommandWords): { name: string; rest: CommandWords } | undefined {
  let at = 0;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? "")) at += 1;
  if (words[at]?.split("/").at(-1) !== "git") return undefined;
  for (at += 1; words[at]?.startsWith("-"); at += 1) if (OPTIONS_WITH_VALUE.has(words[at] ?? "")) at += 1;
  return { name: words[at] ?? "", rest: words.slice(at + 1) };
}

/**
 * Returns the commits and pushes that the output of a command reports. If the output reports more commits than the
 * command has git calls that commit, the lines have another source, and no commit is returned.
 */
export function parseGitActions(command: string, output: string): (Commit | Push)[] {
  if (!command.includes("git")) return [];
  const calls = (splitCommands(command) ?? []).flatMap((words) => gitIn(words) ?? []);
  return [...commitsOf(calls, output), ...pushesOf(calls, output)];
}

function commitsOf(calls: { name: string; rest: CommandWords }[], output: string): Commit[] {
  const committing = calls.filter(({ name }) => COMMITTING.has(name));
  if (committing.length === 0) return [];
  const found = [...output.matchAll(COMMITTED)];
  // One cherry-pick or revert of a range creates several commits, so the number of commits is not checked.
  const isRange = committing.some(({ name, rest }) => name !== "commit" && rest.length > 0);
  if (found.length > committing.length && !isRange) return [];
  return found.map(([, branch, sha = "", subject = ""], index) => ({
    kind: "commit",
    sha,
    branch: branch === undefined || branch === "detached HEAD" ? null : branch,
    subject: subject.slice(0, 500),
    isAmend: committing[index]?.rest.includes("--amend") ?? false,
  }));
}

function pushesOf(calls: { name: string; rest: CommandWords }[], output: string): Push[] {
  const pushing = calls.filter(({ name }) => name === "push");
  const [first, more] = pushing;
  if (!first) return [];
  const named = first.rest.find((word) => !word.startsWith("-"));
  return [...output.matchAll(PUSHED)].map(([, branch = ""]) => ({
    kind: "push",
    branch,
    remote: more ? null : (named ?? null),
  }));
}

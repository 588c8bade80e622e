import { type CommandWords, splitCommands } from "../../../agents/shell-text.ts";
import type { Commit, Push } from "./action.ts";

/** Subcommands after which git prints the created commit. */
const COMMITTING = new Set(["commit", "cherry-pick", "revert"]);
/** Gemini CLI and Qwen Code write a word before the first line of the output. */
const COMMITTED = /^(?:Output: )?\[(?:(detached HEAD|[^\s\]]+) )?(?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)$/gm;
const PUSHED = /^ [ +*] (?:[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}|\[new branch\])\s+(\S+)\s+-> (\S+)/gm;
const OPTIONS_WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

/** Returns the git subcommand of a command, with the following words; undefined for another program. */
function gitIn(words: CommandWords): { name: string; rest: CommandWords } | undefined {
  let at = 0;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? "")) at += 1;
  if (words[at]?.split("/").at(-1) !== "git") return undefined;
  for (at += 1; words[at]?.startsWith("-"); at += 1) if (OPTIONS_WITH_VALUE.has(words[at] ?? "")) at += 1;
  return { name: words[at] ?? "", rest: words.slice(at + 1) };
}

/**
 * Returns the commits and pushes of a command, read from the output. If the output has more such lines than the
 * command has git calls, the lines are from another source and none count.
 */
export function gitActions(command: string, output: string): (Commit | Push)[] {
  if (!command.includes("git")) return [];
  const calls = (splitCommands(command) ?? []).flatMap((words) => gitIn(words) ?? []);
  return [...commitsOf(calls, output), ...pushesOf(calls, output)];
}

function commitsOf(calls: { name: string; rest: CommandWords }[], output: string): Commit[] {
  const committing = calls.filter(({ name }) => COMMITTING.has(name));
  if (committing.length === 0) return [];
  const found = [...output.matchAll(COMMITTED)];
  // A cherry-pick or revert of a range creates several commits.
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

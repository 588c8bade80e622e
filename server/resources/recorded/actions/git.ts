import type { Commit, Push } from "./action.ts";
import { commandsIn, type Words } from "./shell.ts";

/** The subcommands after which git prints the commit that it made. */
const COMMITTING = new Set(["commit", "cherry-pick", "revert"]);
/** Gemini CLI and Qwen Code put a word before the first line of an output. */
const COMMITTED = /^(?:Output: )?\[(?:(detached HEAD|[^\s\]]+) )?(?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)$/gm;
const PUSHED = /^ [ +*] (?:[0-9a-f]{4,40}\.{2,3}[0-9a-f]{4,40}|\[new branch\])\s+(\S+)\s+-> (\S+)/gm;
const OPTIONS_WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

/** The subcommand of git in a command, with its words; undefined for another program. */
function gitIn(words: Words): { name: string; rest: Words } | undefined {
  let at = 0;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? "")) at += 1;
  if (words[at]?.split("/").at(-1) !== "git") return undefined;
  for (at += 1; words[at]?.startsWith("-"); at += 1) if (OPTIONS_WITH_VALUE.has(words[at] ?? "")) at += 1;
  return { name: words[at] ?? "", rest: words.slice(at + 1) };
}

/**
 * The commits and pushes that a command made, as its output shows them. An output with more of such lines than the
 * command has calls of git shows somebody else's, and counts as none.
 */
export function gitActions(command: string, output: string): (Commit | Push)[] {
  if (!command.includes("git")) return [];
  const calls = (commandsIn(command) ?? []).flatMap((words) => gitIn(words) ?? []);
  return [...commitsOf(calls, output), ...pushesOf(calls, output)];
}

function commitsOf(calls: { name: string; rest: Words }[], output: string): Commit[] {
  const committing = calls.filter(({ name }) => COMMITTING.has(name));
  if (committing.length === 0) return [];
  const found = [...output.matchAll(COMMITTED)];
  // A cherry-pick or a revert of a range makes several.
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

function pushesOf(calls: { name: string; rest: Words }[], output: string): Push[] {
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

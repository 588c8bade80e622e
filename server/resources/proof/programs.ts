import { getOwnProperty } from "../../../formats/own.ts";
import type { ShellStatement, SimpleCommand } from "./shell.ts";

const words = (text: string): Set<string> => new Set(text.split(/\s+/));

/** Programs that change no files with any arguments, except through redirections. */
const READERS = words(`cat head tail less more wc ls dir pwd echo true false : stat file du df ps date whoami id
  uname hostname uptime grep egrep fgrep cut tr nl tac rev comm cmp diff md5sum sha1sum sha256sum basename dirname realpath
  readlink which type jq column fold seq sleep printenv pgrep strings nproc free cd set exit export wait kill`);

/** Git commands that do not change files of the working tree. */
const GIT =
  words(`status log diff show rev-parse ls-files ls-tree describe blame shortlog cat-file grep merge-base name-rev
  rev-list for-each-ref diff-tree fetch add commit push`);
const GIT_WITH: Readonly<Record<string, RegExp>> = {
  branch: /^(?:-[avr]+|--show-current|--list|--all)?$/,
  remote: /^(?:-v|show|get-url)?$/,
  stash: /^list$/,
  worktree: /^list$/,
  tag: /^(?:-l|--list)?$/,
};

const TRACKWAY =
  words(`ready claim show done close comment create update release prime list search history handover start
  sessions session usage whoami`);
const GITHUB = words(
  "pr:create pr:view pr:list pr:comment pr:checks pr:status pr:diff run:view run:list run:watch issue:view issue:list",
);

/**
 * Programs that change files only with certain arguments. Each function returns true if the given arguments change
 * nothing.
 */
const BY_ARGUMENTS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  // Testing a variable, or printing to a variable, may run code in the variable's name.
  test: none(/^-[vR]$/),
  "[": none(/^-[vR]$/),
  printf: none(/^-v/),
  sort: none(/^-[^-]*o|^--(?:output|compress)/),
  find: none(/^-(?:delete|exec|execdir|ok|okdir|fprint.*|fls)$/),
  tree: none(/^-[^-]*o/),
  rg: none(/^--(?:pre|hostname)/),
  uniq: (args) => args.filter((each) => !each.startsWith("-")).length < 2,
  sed: ([option, script = "", ...files]) =>
    option === "-n" && /^(?:\d+|\$)(?:,(?:\d+|\$))?p$/.test(script) && files.every((each) => !each.startsWith("-")),
  awk: none(/[>|]|system|getline|^-[if]|^--/),
  git: gitReads,
  trackway: ([command = ""]) => TRACKWAY.has(command),
  gh: ([noun, verb]) => GITHUB.has(`${noun}:${verb}`),
};

function none(pattern: RegExp): (args: readonly string[]) => boolean {
  return (args) => !args.some((each) => pattern.test(each));
}

function gitReads(args: readonly string[]): boolean {
  const [command = "", ...rest] = gitCommand(args);
  if (
    rest.some((each) =>
      /^(?:--output|-O|--open-files|--ext-diff|--textconv|--upload-pack|--receive-pack|--exec)/.test(each),
    )
  )
    return false;
  return GIT.has(command) || getOwnProperty(GIT_WITH, command)?.test(rest[0] ?? "") === true;
}

/**
 * Returns the arguments of git without a leading `-C PATH` or `--no-pager`, so that the git command comes first.
 * Returns an empty list after any other leading option.
 */
function gitCommand(args: readonly string[]): readonly string[] {
  if (args[0] === "--no-pager") return gitCommand(args.slice(1));
  if (args[0] === "-C") return gitCommand(args.slice(2));
  return args[0]?.startsWith("-") ? [] : args;
}

/** Returns true for a path, as written, that is not part of the work, such as /dev/null. */
export type ScratchPathPredicate = (path: string) => boolean;

/** Returns true if a redirection changes a file of the work. */
export const redirectsToFile = ({ redirections }: SimpleCommand, isScratch: ScratchPathPredicate): boolean =>
  redirections.some(({ operator, target }) => {
    if (operator === "<" || ((operator === ">&" || operator === "<&") && /^(?:\d+|-)$/.test(target.text))) return false;
    return !target.plain || !(target.text === "/dev/null" || isScratch(target.text));
  });

/** Returns false only if a command certainly changes no files of the work. */
export function mayChange(command: SimpleCommand, isScratch: ScratchPathPredicate): boolean {
  const { assignments, words: all } = command;
  if (redirectsToFile(command, isScratch)) return true;
  const [name, ...args] = all;
  if (!name) return false;
  if (assignments.length > 0 || !name.plain) return true;
  if (READERS.has(name.text)) return false;
  if (name.text === "tee") return !args.every(({ text, plain }) => plain && (text === "-a" || isScratch(text)));
  // At run time, a variable may contain any option, including an option that changes files.
  if (args.some(({ plain, raw }) => !plain && /^"?\$(?!\(cat)/.test(raw))) return true;
  return !getOwnProperty(BY_ARGUMENTS, name.text)?.(args.map(({ text }) => text));
}

/** Programs that run in a separate process and cannot change the shell. */
const APART =
  words(`git node deno tsc python python3 pip pip3 uv poetry pytest cargo rustc go make cmake mvn gradle docker
  mkdir cp mv rm touch ln tee perl ruby bundle dotnet php composer tsx eslint prettier biome ruff npm pnpm yarn bun npx`);

/**
 * Returns true for a program that cannot change the state of the shell. Shell builtins that change the state return
 * false, and so do scripts.
 */
export function runsInSeparateProcess({ words: [name, first], assignments }: SimpleCommand): boolean {
  if (!name?.plain || assignments.length > 0 || (name.text === "printf" && first?.raw.startsWith("-"))) return false;
  if (["cd", "set", "exit", "export", "wait", "kill", "type"].includes(name.text)) return false;
  return READERS.has(name.text) || APART.has(name.text) || Object.hasOwn(BY_ARGUMENTS, name.text);
}

/** Returns true if a command that processes the output of another program changes no files. */
export const isFilter = (command: SimpleCommand, isScratch: ScratchPathPredicate): boolean =>
  runsInSeparateProcess(command) && !mayChange(command, isScratch);

/**
 * Returns the options that a command line `set …` enables. Undefined if the command is not `set`, or does anything
 * else.
 */
export function readSetOptions({
  words: [name, ...args],
  redirections,
  assignments,
}: SimpleCommand): string[] | undefined {
  if (name?.text !== "set" || redirections.length + assignments.length > 0 || args.length === 0) return undefined;
  const text = args.map(({ text: each }) => each).join(" ");
  const found = /^-([eux]*)(o (errexit|nounset|pipefail|xtrace))?$/.exec(text);
  if (!found || text === "-") return undefined;
  return [...(found[1]?.includes("e") ? ["errexit"] : []), ...(found[3] ? [found[3]] : [])];
}

/**
 * Returns the folder of a `cd` command, as written. Undefined if the command is not `cd`, or if the folder is not
 * certain.
 */
export function readCdFolder({ words: all, redirections, assignments }: SimpleCommand): string | undefined {
  const [name, to, ...more] = all;
  if (name?.text !== "cd" || !to?.plain || more.length + redirections.length + assignments.length > 0) return undefined;
  return to.text === "" || to.text.startsWith("-") ? undefined : to.text;
}

/** Variables that change only the display of results, not the results. */
const SHOWN = /^(?:CI|NO_COLOR|FORCE_COLOR|TERM|COLUMNS)=/;

/**
 * Returns a command's program and arguments. Wrappers that pass on the exit code (`time`, `timeout 60`, `nice`) and
 * variables that affect only the display are removed. Undefined if the arguments are not certain; with `open`,
 * arguments may contain variables.
 */
export function readArguments({ assignments, words: all }: SimpleCommand, open?: "open"): string[] | undefined {
  if (!(open || all.every(({ plain }) => plain)) || !assignments.every(({ raw, plain }) => plain && SHOWN.test(raw)))
    return undefined;
  return unwrapped(all.map(({ text }) => text));
}

function unwrapped(args: string[]): string[] {
  const [name, first = "", second = ""] = args;
  if (name === "time" && !first.startsWith("-")) return unwrapped(args.slice(1));
  if (name === "timeout" && /^\d+(?:\.\d+)?[smhd]?$/.test(first)) return unwrapped(args.slice(2));
  if (name === "nice" && first === "-n" && /^-?\d+$/.test(second)) return unwrapped(args.slice(3));
  if (name === "nice" && !first.startsWith("-")) return unwrapped(args.slice(1));
  if (name === "env" && SHOWN.test(first)) return unwrapped(["env", ...args.slice(2)]);
  return name === "env" && !/^-|=/.test(first) ? unwrapped(args.slice(1)) : args;
}

/** Returns all commands of the statements, in order. */
export const listCommands = (statements: readonly ShellStatement[]): SimpleCommand[] =>
  statements.flatMap(({ pipelines }) => pipelines.flatMap(({ commands }) => commands));

import { posix } from "node:path";
import { findAgent } from "../../agents/index.ts";
import {
  isFilter,
  listCommands,
  mayChange,
  readArguments,
  readCdFolder,
  readSetOptions,
  redirectsToFile,
  runsInSeparateProcess,
  type ScratchPathPredicate,
} from "./programs.ts";
import { parseShell, type ShellStatement, type SimpleCommand } from "./shell.ts";

/**
 * Result of a search for a demanded command in a command line. The result tells whether the line's exit code is the
 * exit code of the command.
 */
export type CommandSearchResult =
  /**
   * Exit code 0 of the line belongs to the command, which ran in this folder. If `failure` is true, other exit codes
   * belong to the command too.
   */
  | { is: "run"; folder: string | undefined; failure: boolean; at: number }
  /** The line contains the command, but the exit code may belong to another command. `why` is the reason. */
  | { is: "doubt"; why: ExitCodeDoubt }
  | { is: "other" };

/** Reasons why an exit code does not count, as parts of a sentence. */
export const EXIT_CODE_DOUBTS = {
  unread: "its command line has more than plain commands in it",
  arguments: "it ran with other arguments",
  hidden: "its failure is hidden by what follows it",
  piped: "its exit code is that of a pipe",
  background: "it ran in the background",
  changed: "its command line may change what the shell runs",
  folder: "the folder it ran in is not certain",
  writes: "its output goes to a file of the work",
  quoted: "its name is only text there",
} as const;
export type ExitCodeDoubt = keyof typeof EXIT_CODE_DOUBTS;

/**
 * The folder in which a command line began, the agent that ran the line, and a function that recognizes temporary
 * files.
 */
export interface LineContext {
  folder: string | undefined;
  /** Null for an unknown agent. */
  agent: string | null;
  isScratch: ScratchPathPredicate;
}

/** A parsed command line. */
export interface CommandLine {
  text: string;
  statements: ShellStatement[] | undefined;
  place: LineContext;
}

export const parseCommandLine = (text: string, place: LineContext): CommandLine => ({
  text,
  statements: parseShell(text),
  place,
});

/**
 * Returns the arguments of a demanded command; undefined if the command is more than a single program without
 * redirections.
 */
export function parseDemandedCommand(text: string): string[] | undefined {
  const statements = parseShell(text);
  const [only, ...more] = statements ? listCommands(statements) : [];
  if (!only || more.length > 0 || statements?.[0]?.background) return undefined;
  const { words, assignments, redirections } = only;
  return words.length === 0 || assignments.length + redirections.length > 0 ? undefined : readArguments(only);
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/** Matches a command with the same arguments as a demanded command. */
export const createDemandMatcher = (demand: readonly string[]) => (command: SimpleCommand) =>
  isSame(readArguments(command) ?? [], demand);

/** For each git command, the options with which git changes nothing, or deletes instead of pushing. */
const TRIAL = { commit: /^(?:--dry-run|--short|--porcelain|--long)$/, push: /^(?:--dry-run|-n|-d|--delete)$/ };

/** Returns a function that returns true for a git command that really commits or pushes. */
export const createGitCommandMatcher = (name: keyof typeof TRIAL) => (command: SimpleCommand) => {
  const [program, found, ...args] = readArguments(command, "open") ?? [];
  return program === "git" && found === name && !args.some((each) => TRIAL[name].test(each));
};

/**
 * Determines whether the exit code of a line belongs to a command for which `matches` returns true. Accepted forms: the
 * command alone; in a chain of `&&`; after a `cd`; after commands in separate processes, under `set -e`; before
 * filters, under `pipefail`. `set -e` and `pipefail` count only if they take effect in the agent's shell.
 * @param naming the words by which a line names the command
 */
export function findDemandedCommand(
  line: CommandLine,
  matches: (command: SimpleCommand) => boolean,
  naming: readonly string[],
): CommandSearchResult {
  const { statements, place } = line;
  const doubt = (why: ExitCodeDoubt): CommandSearchResult => ({ is: "doubt", why });
  if (!statements) return names(line.text, naming) ? doubt("unread") : { is: "other" };
  const at = statements.findIndex(({ pipelines }) => pipelines.some(({ commands }) => commands.some(matches)));
  const statement = statements[at];
  if (!statement) return names(line.text, naming) ? doubt(likely(statements, naming)) : { is: "other" };
  if (statements.some(({ background }) => background)) return doubt("background");
  if (statement.pipelines.some(({ join }) => join === "||")) return doubt("hidden");

  const state: State = {
    folder: place.folder,
    keeps: new Set(findAgent(place.agent)?.shell?.keeps),
    switches: new Set(),
    sure: true,
  };
  for (const earlier of statements.slice(0, at)) {
    const why = pass(state, earlier, false);
    if (why) return doubt(why);
  }
  const where = statement.pipelines.findIndex(({ commands }) => commands.some(matches));
  const before = { ...statement, pipelines: statement.pipelines.slice(0, where) };
  const why = pass(state, before, true);
  if (why) return doubt(why);
  if (!state.sure) return doubt("folder");
  const [command, ...filters] = statement.pipelines[where]?.commands ?? [];
  if (!command || !matches(command)) return doubt("piped");
  if (filters.length > 0) {
    if (!state.switches.has("pipefail") || !filters.every((each) => isFilter(each, place.isScratch)))
      return doubt("piped");
  }
  // Some shells do not support `&>` and treat the `&` as the end of a background command.
  if (command.redirections.some(({ operator }) => operator.startsWith("&"))) return doubt("background");
  if (redirectsToFile(command, place.isScratch)) return doubt("writes");
  const last = at === statements.length - 1;
  if (!last && !(state.switches.has("errexit") && statement.pipelines.length === 1)) return doubt("hidden");
  const rest = statements.slice(at + 1);
  if (rest.some(({ pipelines }) => pipelines.some(({ commands }) => !commands.every(goesOn)))) return doubt("hidden");
  const all = listCommands(statements);
  const found = all.indexOf(command);
  // True if the line contains, besides the demanded command, only earlier `cd` commands and `set` commands. A failed
  // filter, or a later command such as `cd`, would have its own exit code.
  const failure = all.every(
    (each, n) => n === found || (n < found && readCdFolder(each) !== undefined) || readSetOptions(each),
  );
  return { is: "run", folder: state.folder, failure, at: found };
}

interface State {
  folder: string | undefined;
  /** Options that take effect in the agent's shell. */
  keeps: ReadonlySet<string>;
  switches: Set<string>;
  /** True if the folder is certain. */
  sure: boolean;
}

/**
 * Processes the commands before the demanded command, and returns the reason for doubt, if any. `chained` means that
 * the demanded command runs only if these commands succeed.
 */
function pass(state: State, { pipelines }: ShellStatement, chained: boolean): ExitCodeDoubt | undefined {
  const alone = pipelines.length === 1;
  for (const { commands, join } of pipelines) {
    const [command, ...piped] = commands;
    if (!command) continue;
    const switches = piped.length === 0 ? readSetOptions(command) : undefined;
    const folder = piped.length === 0 ? readCdFolder(command) : undefined;
    if (switches) {
      // A chain may set an option only sometimes, for example after `||`. An option that a chain may skip does not
      // count.
      if (join === "||" || !(chained || join === "first")) return "changed";
      for (const each of switches) if (state.keeps.has(each)) state.switches.add(each);
    } else if (folder !== undefined) {
      const known = state.folder !== undefined || posix.isAbsolute(folder);
      state.sure &&= known && join !== "||" && (chained || (alone && state.switches.has("errexit")));
      state.folder = posix.resolve(state.folder ?? "/", folder);
    } else if (!commands.every(runsInSeparateProcess))
      return commands.some(({ words: [name] }) => name?.text === "cd") ? "folder" : "changed";
  }
  return undefined;
}

/**
 * Returns true for a command that may follow the demanded command. Under `set -e`, such a command must not change the
 * exit code with which the shell ends after a failure.
 */
const goesOn = (command: SimpleCommand): boolean =>
  runsInSeparateProcess(command) || readCdFolder(command) !== undefined;

/** Returns true if a text contains a sequence of words. */
function names(text: string, naming: readonly string[]): boolean {
  const bare = text
    .replace(/["'\\]/g, "")
    .split(/[\s;&|()`]+/)
    .join(" ");
  return ` ${bare} `.includes(` ${naming.join(" ")} `);
}

function likely(statements: readonly ShellStatement[], naming: readonly string[]): ExitCodeDoubt {
  const begins = listCommands(statements).some((command) => {
    const args = readArguments(command) ?? command.words.map(({ text }) => text);
    return naming.every((each, at) => args[at] === each);
  });
  return begins ? "arguments" : "quoted";
}

/**
 * Returns the positions, from 0, of a line's commands that may change files of the work. Returns -1 for a line that
 * cannot be parsed.
 * @param neutral matches commands that are known to change nothing
 */
export function findChangingCommands(
  { statements, place }: CommandLine,
  neutral: (command: SimpleCommand) => boolean,
): number[] {
  if (!statements) return [-1];
  const changes = (command: SimpleCommand) =>
    neutral(command) ? redirectsToFile(command, place.isScratch) : mayChange(command, place.isScratch);
  return listCommands(statements).flatMap((command, at) => (changes(command) ? [at] : []));
}

/** Returns the folder in which a line ends, if certain. */
export function findEndFolder({ statements, place }: CommandLine): string | undefined {
  let { folder } = place;
  for (const command of statements ? listCommands(statements) : []) {
    if (command.words[0]?.text !== "cd") continue;
    const to = readCdFolder(command);
    if (to === undefined) return undefined;
    folder = folder === undefined && !posix.isAbsolute(to) ? undefined : posix.resolve(folder ?? "/", to);
  }
  return folder;
}

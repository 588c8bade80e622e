import { posix } from "node:path";
import { keptOptions } from "./agent-shells.ts";
import {
  argumentsOf,
  commandsOf,
  folderOf,
  type IsScratch,
  isApart,
  isFilter,
  mayChange,
  redirectsToFile,
  switchesOf,
} from "./programs.ts";
import { parseShell, type Simple, type Statement } from "./shell.ts";

/** The part of a demanded command in a line: its exit code is the command's own, or may be another's. */
export type Finding =
  /** Exit code 0 is the command's own, in this folder; `failure` when another code is its own too. */
  | { is: "run"; folder: string | undefined; failure: boolean; at: number }
  /** It names the command, and its exit code may be another's: a rule that says why. */
  | { is: "doubt"; why: Doubt }
  | { is: "other" };

/** Reasons for which an exit code does not count, as parts of a sentence. */
export const DOUBTS = {
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
export type Doubt = keyof typeof DOUBTS;

/** The folder that a command line began in, the agent that ran it, and how files outside of the work are recognised. */
export interface Place {
  folder: string | undefined;
  /** Null for one that is not known. */
  agent: string | null;
  isScratch: IsScratch;
}

/** A command line as it is read here. */
export interface Line {
  text: string;
  statements: Statement[] | undefined;
  place: Place;
}

/** Reads a command line. */
export const readLine = (text: string, place: Place): Line => ({ text, statements: parseShell(text), place });

/** The arguments of a demanded command; undefined where it is more than one plain program. */
export function demandOf(text: string): string[] | undefined {
  const statements = parseShell(text);
  const [only, ...more] = statements ? commandsOf(statements) : [];
  if (!only || more.length > 0 || statements?.[0]?.background) return undefined;
  const { words, assignments, redirections } = only;
  return words.length === 0 || assignments.length + redirections.length > 0 ? undefined : argumentsOf(only);
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/** Matches a command whose arguments are those of a demanded one. */
export const isDemand = (demand: readonly string[]) => (command: Simple) => isSame(argumentsOf(command) ?? [], demand);

/** Options with which git does nothing, or takes something back. */
const TRIAL = { commit: /^(?:--dry-run|--short|--porcelain|--long)$/, push: /^(?:--dry-run|-n|-d|--delete)$/ };

/** Matches a command of git that does what its name says. */
export const isGit = (name: keyof typeof TRIAL) => (command: Simple) => {
  const [program, found, ...args] = argumentsOf(command, "open") ?? [];
  return program === "git" && found === name && !args.some((each) => TRIAL[name].test(each));
};

/**
 * Finds out if the exit code of a line is that of a command which `matches`. Its form decides: the command alone, or in
 * a chain of `&&`, after a `cd`, after commands that a shell starts apart, under `set -e`, before filters under `pipefail`.
 * Both options count only where the agent's own shell keeps them.
 * @param naming the words by which a line names the command
 */
export function findIn(line: Line, matches: (command: Simple) => boolean, naming: readonly string[]): Finding {
  const { statements, place } = line;
  const doubt = (why: Doubt): Finding => ({ is: "doubt", why });
  if (!statements) return names(line.text, naming) ? doubt("unread") : { is: "other" };
  const at = statements.findIndex(({ pipelines }) => pipelines.some(({ commands }) => commands.some(matches)));
  const statement = statements[at];
  if (!statement) return names(line.text, naming) ? doubt(likely(statements, naming)) : { is: "other" };
  if (statements.some(({ background }) => background)) return doubt("background");
  if (statement.pipelines.some(({ join }) => join === "||")) return doubt("hidden");

  const state: State = { folder: place.folder, keeps: keptOptions(place.agent), switches: new Set(), sure: true };
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
  // A shell without `&>` takes it for the background.
  if (command.redirections.some(({ operator }) => operator.startsWith("&"))) return doubt("background");
  if (redirectsToFile(command, place.isScratch)) return doubt("writes");
  const last = at === statements.length - 1;
  if (!last && !(state.switches.has("errexit") && statement.pipelines.length === 1)) return doubt("hidden");
  const rest = statements.slice(at + 1);
  if (rest.some(({ pipelines }) => pipelines.some(({ commands }) => !commands.every(goesOn)))) return doubt("hidden");
  const all = commandsOf(statements);
  // A filter that fails, or what is behind the command, has a code of its own.
  const failure = all.every((each) => each === command || folderOf(each) !== undefined || switchesOf(each));
  return { is: "run", folder: state.folder, failure, at: all.indexOf(command) };
}

interface State {
  folder: string | undefined;
  /** Options that the agent's shell heeds. */
  keeps: ReadonlySet<string>;
  switches: Set<string>;
  /** The folder is certain. */
  sure: boolean;
}

/** Goes through what comes before the command. `chained`: it only goes on where this succeeds. */
function pass(state: State, { pipelines }: Statement, chained: boolean): Doubt | undefined {
  const alone = pipelines.length === 1;
  for (const { commands, join } of pipelines) {
    const [command, ...piped] = commands;
    if (!command) continue;
    const switches = piped.length === 0 ? switchesOf(command) : undefined;
    const folder = piped.length === 0 ? folderOf(command) : undefined;
    if (switches) {
      // A switch that a chain reaches only sometimes is none.
      if (join === "||" || !(chained || join === "first")) return "changed";
      for (const each of switches) if (state.keeps.has(each)) state.switches.add(each);
    } else if (folder !== undefined) {
      const known = state.folder !== undefined || posix.isAbsolute(folder);
      state.sure &&= known && join !== "||" && (chained || (alone && state.switches.has("errexit")));
      state.folder = posix.resolve(state.folder ?? "/", folder);
    } else if (!commands.every(isApart))
      return commands.some(({ words: [name] }) => name?.text === "cd") ? "folder" : "changed";
  }
  return undefined;
}

/** Commands after the demanded one may be anything that leaves the exit code of a shell under `set -e` alone. */
const goesOn = (command: Simple): boolean => isApart(command) || folderOf(command) !== undefined;

/** True where a text has some words after each other, whatever else is around them. */
function names(text: string, naming: readonly string[]): boolean {
  const bare = text
    .replace(/["'\\]/g, "")
    .split(/[\s;&|()`]+/)
    .join(" ");
  return ` ${bare} `.includes(` ${naming.join(" ")} `);
}

function likely(statements: readonly Statement[], naming: readonly string[]): Doubt {
  const begins = commandsOf(statements).some((command) => {
    const args = argumentsOf(command) ?? command.words.map(({ text }) => text);
    return naming.every((each, at) => args[at] === each);
  });
  return begins ? "arguments" : "quoted";
}

/**
 * The commands of a line that may change files of the work, by their numbers; -1 for one that is not understood.
 * @param neutral commands of which it is known that they change nothing
 */
export function changesIn({ statements, place }: Line, neutral: (command: Simple) => boolean): number[] {
  if (!statements) return [-1];
  const changes = (command: Simple) =>
    neutral(command) ? redirectsToFile(command, place.isScratch) : mayChange(command, place.isScratch);
  return commandsOf(statements).flatMap((command, at) => (changes(command) ? [at] : []));
}

/** The folder in which a line ends, if it is certain. */
export function endOf({ statements, place }: Line): string | undefined {
  let { folder } = place;
  for (const command of statements ? commandsOf(statements) : []) {
    if (command.words[0]?.text !== "cd") continue;
    const to = folderOf(command);
    if (to === undefined) return undefined;
    folder = folder === undefined && !posix.isAbsolute(to) ? undefined : posix.resolve(folder ?? "/", to);
  }
  return folder;
}

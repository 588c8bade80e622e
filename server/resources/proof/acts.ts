import { posix } from "node:path";
import type { CommandSearchResult } from "./line.ts";

/** An action of an agent, in order of time. Times are in milliseconds since 1970. */
export interface TimedAction {
  event: string;
  session: string;
  /** Folder of the action, if known. */
  folder: string | null;
  from: number;
  /** End of the action; null while the action is running, or if the end is unknown. */
  until: number | null;
  /** The changed file, or null for a tool that may change any file. */
  change?: string | null;
  command?: {
    line: string;
    /**
     * The agent that ran the command. The agent's shell determines which parts of the line count. Null for an unknown
     * agent.
     */
    agent: string | null;
    /** Null if unknown. */
    exitCode: number | null;
    isBackground: boolean;
  };
}

/** The actions of an issue's sessions, oldest first, and the reasons why actions are missing. */
export interface ProofRecord {
  acts: readonly TimedAction[];
  /** Folders in which the sessions began. */
  folders: readonly string[];
  /** Reasons, as sentences. */
  gaps: readonly string[];
}

/**
 * A change of files. `act` gives the possible times of the change; `where` is the changed file, or the folder of the
 * change.
 */
export interface FileChangeTime {
  act: TimedAction;
  /** Position of the command in its command line, from 0. -1 if the whole line may have changed files. */
  at: number;
  where: string | undefined;
  isScratch: boolean;
}

/** An execution of a demanded command, with the exit code of its line. */
export interface CommandExecution {
  act: TimedAction;
  exitCode: number | null;
  finding: Exclude<CommandSearchResult, { is: "other" }>;
}

/** Returns the absolute path; undefined for a relative path in an unknown folder. */
export const resolvePath = ({ folder }: TimedAction, path: string): string | undefined =>
  folder === null && !posix.isAbsolute(path) ? undefined : posix.resolve(folder ?? "/", path);

export const isPathBelow = (path: string, folder: string): boolean => {
  const [one, top] = [posix.resolve(path), posix.resolve(folder)];
  return one === top || one.startsWith(top === "/" ? top : `${top}/`);
};

/** Returns true if a run ended before another run began. */
export const isExecutionBefore = (one: CommandExecution, other: CommandExecution): boolean =>
  one.act === other.act
    ? one.finding.is === "run" && other.finding.is === "run" && one.finding.at < other.finding.at
    : one.act.until !== null && one.act.until <= other.act.from;

/**
 * Returns true if a change of files ended before a command began. For a change in the background, returns false,
 * because its end is unknown.
 */
export function isChangeBeforeExecution({ act, at }: FileChangeTime, { act: run, finding }: CommandExecution): boolean {
  if (act === run) return at !== -1 && finding.is === "run" && at < finding.at;
  return act.until !== null && !act.command?.isBackground && act.until <= run.from;
}

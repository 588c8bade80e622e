import { posix } from "node:path";
import type { Finding } from "./line.ts";

/** An action of an agent, in order of time. Times are in milliseconds since 1970. */
export interface Act {
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
  acts: readonly Act[];
  /** Folders in which the sessions began. */
  folders: readonly string[];
  /** Reasons, as sentences. */
  gaps: readonly string[];
}

/** A change of files: the possible times of the change, and the place. */
export interface FileChangeTime {
  act: Act;
  /** Number of the command in its line; -1 for the whole line. */
  at: number;
  where: string | undefined;
  isScratch: boolean;
}

/** An execution of a demanded command, with the exit code of its line. */
export interface CommandExecution {
  act: Act;
  exitCode: number | null;
  finding: Exclude<Finding, { is: "other" }>;
}

/** Returns the absolute path; undefined for a relative path in an unknown folder. */
export const resolvePath = ({ folder }: Act, path: string): string | undefined =>
  folder === null && !posix.isAbsolute(path) ? undefined : posix.resolve(folder ?? "/", path);

export const isBelow = (path: string, folder: string): boolean => {
  const [one, top] = [posix.resolve(path), posix.resolve(folder)];
  return one === top || one.startsWith(top === "/" ? top : `${top}/`);
};

/** Returns true if a run ended before another run began. */
export const isEarlier = (one: CommandExecution, other: CommandExecution): boolean =>
  one.act === other.act
    ? one.finding.is === "run" && other.finding.is === "run" && one.finding.at < other.finding.at
    : one.act.until !== null && one.act.until <= other.act.from;

/** Returns true if a change ended before a run began. A background change has no known end. */
export function isBefore({ act, at }: FileChangeTime, { act: run, finding }: CommandExecution): boolean {
  if (act === run) return at !== -1 && finding.is === "run" && at < finding.at;
  return act.until !== null && !act.command?.isBackground && act.until <= run.from;
}

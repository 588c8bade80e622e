import { posix } from "node:path";
import type { Finding } from "./line.ts";

/** One thing that an agent did, in the order of time. Moments are epoch milliseconds. */
export interface Act {
  event: string;
  session: string;
  /** The folder that it was done in, if that is known. */
  folder: string | null;
  from: number;
  /** The end; null while it goes on, or where its end is not known. */
  until: number | null;
  /** A file that it changed, or null for a tool that may change any. */
  change?: string | null;
  command?: {
    line: string;
    /** The agent that ran it, which decides what of the line counts; null for one that is not known. */
    agent: string | null;
    /** null where it is not known. */
    exitCode: number | null;
    isBackground: boolean;
  };
}

/** The acts of the sessions of an issue, the oldest first, and why they are not all there. */
export interface Record {
  acts: readonly Act[];
  /** Folders in which the sessions began. */
  folders: readonly string[];
  /** Reasons, as sentences. */
  gaps: readonly string[];
}

/** A change of files: the moments that it can have happened in, and where. */
export interface Change {
  act: Act;
  /** The number of the command in its line; -1 for all of it. */
  at: number;
  where: string | undefined;
  isScratch: boolean;
}

/** A command as it was demanded, with what its line says of its exit code. */
export interface Run {
  act: Act;
  exitCode: number | null;
  finding: Exclude<Finding, { is: "other" }>;
}

/** A path from the root; undefined for a relative one of an unknown folder. */
export const resolved = ({ folder }: Act, path: string): string | undefined =>
  folder === null && !posix.isAbsolute(path) ? undefined : posix.resolve(folder ?? "/", path);

export const isBelow = (path: string, folder: string): boolean => {
  const [one, top] = [posix.resolve(path), posix.resolve(folder)];
  return one === top || one.startsWith(top === "/" ? top : `${top}/`);
};

/** True for a run that ended before another began. */
export const isEarlier = (one: Run, other: Run): boolean =>
  one.act === other.act
    ? one.finding.is === "run" && other.finding.is === "run" && one.finding.at < other.finding.at
    : one.act.until !== null && one.act.until <= other.act.from;

/** True for a change that ended before a run began. One that goes on in the background has no end. */
export function isBefore({ act, at }: Change, { act: run, finding }: Run): boolean {
  if (act === run) return at !== -1 && finding.is === "run" && at < finding.at;
  return act.until !== null && !act.command?.isBackground && act.until <= run.from;
}

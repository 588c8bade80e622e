import { setTimeout as sleep } from "node:timers/promises";
import type { Failure } from "../failure.ts";
import { runGit } from "../git.ts";

/** Runs git in a folder. Answers its output without the line's end. @throws Failure with the line that says why */
export const git = async (folder: string, ...args: string[]): Promise<string> => (await runGit(folder, args)).trimEnd();

/** The same, and undefined where git refuses. */
export const gitIf = (folder: string, ...args: string[]): Promise<string | undefined> =>
  git(folder, ...args).catch(() => undefined);

const [TRIES, AGAIN_MS] = [10, 50];
const IS_CHANGING = /failed to read \S+\/commondir|could not lock/;
let last: Promise<unknown> = Promise.resolve();

/**
 * The same for commands that read all working trees: one at a time, and again where another process just makes or
 * removes a tree, whose files git misses then.
 */
export function gitOfTrees(folder: string, ...args: string[]): Promise<string> {
  const run = async (tries = 1): Promise<string> => {
    try {
      return await git(folder, ...args);
    } catch (error) {
      if (tries === TRIES || !IS_CHANGING.test((error as Failure).message)) throw error;
    }
    await sleep(tries * AGAIN_MS);
    return run(tries + 1);
  };
  const next = last.then(() => run());
  last = next.catch(() => undefined);
  return next;
}

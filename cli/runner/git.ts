import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Failure } from "../failure.ts";

const run = promisify(execFile);
const DEADLINE_MS = 120_000;
const MOST_OUTPUT = 8 * 1024 * 1024;

/** Runs git in a folder. Answers its output without the line's end. @throws Failure with the line that says why */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, timeout: DEADLINE_MS, maxBuffer: MOST_OUTPUT };
  try {
    return (await run("git", args, options)).stdout.trimEnd();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr ?? "").trim().split("\n").filter(Boolean);
    const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines[0] ?? message;
    throw new Failure(`git ${args[0]}: ${line}`);
  }
}

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

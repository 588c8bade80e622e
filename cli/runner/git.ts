import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Failure } from "../failure.ts";

const run = promisify(execFile);
const DEADLINE_MS = 120_000;
const MOST_OUTPUT = 8 * 1024 * 1024;

/** Runs git in a folder. Answers its output without the line's end. @throws Failure with the first line of its error */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const options = { cwd: folder, timeout: DEADLINE_MS, maxBuffer: MOST_OUTPUT };
  try {
    return (await run("git", args, options)).stdout.trimEnd();
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const [line = message] = (stderr ?? "").trim().split("\n").filter(Boolean);
    throw new Failure(`git ${args[0]}: ${line}`);
  }
}

/** The same, and undefined where git refuses. */
export const gitIf = (folder: string, ...args: string[]): Promise<string | undefined> =>
  git(folder, ...args).catch(() => undefined);

import { execFile } from "node:child_process";
import { CommandFailure, EXIT_CODES, type ExitCode } from "./failure.ts";

const DEADLINE_MS = 120_000;
const MOST_OUTPUT = 256 * 1024 * 1024;

interface How {
  input?: string;
  /** Exit code of the command if git fails. */
  exit?: ExitCode;
}

/** Runs git in a folder and returns its output. @throws CommandFailure with the first error line of git */
export function runGit(
  folder: string,
  args: readonly string[],
  { input = "", exit = EXIT_CODES.failed }: How = {},
): Promise<string> {
  const options = { cwd: folder, timeout: DEADLINE_MS, maxBuffer: MOST_OUTPUT };
  return new Promise((resolve, reject) => {
    const running = execFile("git", args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const lines = stderr.trim().split("\n").filter(Boolean);
      const line = lines.find((each) => /^(?:fatal|error): /.test(each)) ?? lines[0] ?? error.message;
      const command = args.find((each, at) => !each.startsWith("-") && args[at - 1] !== "-c");
      reject(new CommandFailure(`git ${command}: ${line}`, { exit }));
    });
    running.stdin?.on("error", () => {});
    running.stdin?.end(input);
  });
}

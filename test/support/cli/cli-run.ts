import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Input and environment of a command. */
export interface CommandContext {
  input?: string;
  env?: Record<string, string>;
}

const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;

/** Runs the executable in a separate process, which costs 0.3 s of CPU. */
export async function runExecutable(
  home: string,
  args: string[],
  { input = "", env = {} }: CommandContext = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [resolve("cli/bin.js"), ...args], {
    cwd: home,
    env: { HOME: home, PATH, ...env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, stdout, stderr };
}

let host: ChildProcess | undefined;
let busy = false;

/**
 * Runs a command line in the process that has the CLI loaded. A command that starts while another command is running
 * gets a separate process, so that commands that a test races run concurrently, as for users.
 */
export async function runCli(home: string, args: string[], given: CommandContext = {}): Promise<CommandResult> {
  if (busy) return runExecutable(home, args, given);
  busy = true;
  try {
    const { input = "", env = {} } = given;
    host ??= startHost();
    host.send({ args, env: { HOME: home, PATH, ...env }, cwd: home, input });
    const ended = new AbortController();
    const exit = once(host, "exit", { signal: ended.signal }).then(([code]) => {
      throw new Error(`the process of command lines ended with code ${code}`);
    });
    const answer = once(host, "message", { signal: ended.signal }).then(([ran]) => ran as CommandResult);
    return await Promise.race([answer, exit]).finally(() => ended.abort());
  } finally {
    busy = false;
  }
}

/** The host process exits with this process. The open channel does not keep this process alive. */
function startHost(): ChildProcess {
  const child = fork(fileURLToPath(new URL("./cli-host.js", import.meta.url)), { execArgv: [], env: { PATH } });
  child.once("exit", () => {
    host = undefined;
  });
  child.unref();
  child.channel?.unref();
  return child;
}

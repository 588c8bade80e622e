import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, Failure } from "../failure.ts";

/** An agent at work. */
export interface AgentProcess {
  id: number;
  /** Resolves with the exit code; null when a signal ended it. */
  ended: Promise<number | null>;
  /** The last line of its errors, for a person. */
  lastError(): string;
  /** Ends it with all that it started: a request first, force after ten seconds. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
/** A line longer than this is not read for the id of a session. */
const MOST_LINE = 64 * 1024;

interface Start {
  program: string;
  args: readonly string[];
  folder: string;
  prompt: string;
  env: NodeJS.ProcessEnv;
  /** Called with each line of its output. */
  onLine(line: string): void;
}

/**
 * Starts an agent in a group of processes of its own: a terminal's Ctrl-C does not reach it. The prompt goes to standard
 * input, where nobody else on the machine reads it.
 * @throws Failure where the program cannot be started
 */
export async function startAgent({ program, args, folder, prompt, env, onLine }: Start): Promise<AgentProcess> {
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  // Looked at later; until then a failure to start is reported below.
  ended.catch(() => {});
  await once(child, "spawn").catch((error: NodeJS.ErrnoException) => {
    const cure = error.code === "ENOENT" ? `install ${program}, and have it on the PATH` : undefined;
    throw new Failure(`${program} cannot be started: ${error.message}`, { exit: EXIT.failed, ...(cure && { cure }) });
  });
  child.stdin.on("error", () => {});
  child.stdin.end(prompt);
  forEachLine(child.stdout, onLine);
  let lastError = "";
  forEachLine(child.stderr, (line) => {
    if (line.trim()) lastError = line;
  });
  return { id: Number(child.pid), ended, lastError: () => lastError, stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  signalGroup(child, "SIGTERM");
  const settled = ended.then(
    () => true,
    () => true,
  );
  const isOver = await Promise.race([settled, sleep(GRACE_MS, false, { ref: false })]);
  // Programs that the agent started may outlive it.
  signalGroup(child, "SIGKILL");
  if (!isOver) await settled;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // None of the group is left.
  }
}

/** Calls with each line of a stream, of which no more than one line is kept. */
function forEachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = (lines.pop() ?? "").slice(0, MOST_LINE);
    for (const line of lines) onLine(line);
  });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, Failure } from "../failure.ts";
import type { Agent } from "./agents.ts";

/** An agent at work. */
export interface AgentProcess {
  id: number;
  /** Resolves at its end with what was wrong, in a sentence, if anything. */
  ended: Promise<string | undefined>;
  /** The id of its session, as soon as it says it. */
  session(): string | undefined;
  /** The end of its output and errors, as they came, for a person. */
  lastOutput(): string;
  /** Ends it with all that it started: a request first, force after ten seconds. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
/** Characters of its output in which the session's id is looked for, and of its end that are kept. */
const [HEAD, TAIL] = [64 * 1024, 1_000];

/**
 * Starts an agent in a group of processes of its own: a terminal's Ctrl-C does not reach it. The prompt goes to standard
 * input, where nobody else on the machine reads it.
 * @throws Failure where the program cannot be started
 */
export async function startAgent(
  { program, title, session }: Agent,
  args: readonly string[],
  { cwd, env, prompt }: { cwd: string; env: NodeJS.ProcessEnv; prompt: string },
): Promise<AgentProcess> {
  const child = spawn(program, args, { cwd, env, detached: true });
  await once(child, "spawn").catch((error: NodeJS.ErrnoException) => {
    const cure = error.code === "ENOENT" ? `install ${program}, and have it on the PATH` : undefined;
    throw new Failure(`${program} cannot be started: ${error.message}`, { exit: EXIT.failed, ...(cure && { cure }) });
  });
  const id = Number(child.pid);
  const ended = once(child, "exit").then(([code, signal]) =>
    code === 0 ? undefined : `${title} ended with ${code === null ? `the signal ${signal}` : `code ${code}`}.`,
  );
  let [head, tail] = ["", ""];
  child.stdin.on("error", () => {}).end(prompt);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (head.length < HEAD) head += text;
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      tail = (tail + text).slice(-TAIL);
    });
  const stop = async () => {
    signalGroup(id, "SIGTERM");
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    // Programs that the agent started may outlive it.
    signalGroup(id, "SIGKILL");
    await ended;
  };
  return { id, ended, session: () => session?.exec(head)?.[1], lastOutput: () => tail.trim(), stop };
}

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // None of the group is left.
  }
}

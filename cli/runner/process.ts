import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { createRedactor } from "../../redaction/index.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";

/** An agent that runs without a user: its headless command reads the prompt from standard input. */
export interface HeadlessAgent {
  title: string;
  program: string;
  /**
   * Returns the command-line arguments. Some agents accept an id for the new session; for these agents, the arguments
   * include `session`.
   */
  args(session: string): string[];
  /** Command-line option with which the agent runs all commands without asking for permission. */
  bypass: string;
  /** Matches the session id in the agent's output. Undefined for an agent that gets the session id as an argument. */
  session?: RegExp;
}

/** Agents that `trackway run` can start, in their default permission mode. A new agent needs one entry. */
export const HEADLESS_AGENTS: Readonly<Record<string, HeadlessAgent>> = {
  "claude-code": {
    title: "Claude Code",
    program: "claude",
    args: (session) => ["-p", "--session-id", session],
    bypass: "--dangerously-skip-permissions",
  },
  codex: {
    title: "Codex",
    program: "codex",
    args: () => ["exec", "--json", "-"],
    bypass: "--dangerously-bypass-approvals-and-sandbox",
    session: /"thread_id":"([^"]+)"/,
  },
  opencode: {
    title: "OpenCode",
    program: "opencode",
    args: () => ["run", "--format", "json"],
    bypass: "--auto",
    session: /"sessionID":"([^"]+)"/,
  },
};

/** A running agent. */
export interface AgentProcess {
  id: number;
  /** Resolves when the agent ends. The value is a sentence about what went wrong, or undefined after a normal end. */
  ended: Promise<string | undefined>;
  /** Returns the id of the session as soon as the output contains the id. */
  session(): string | undefined;
  /**
   * Returns the last characters of standard output and of standard error. Each secret is replaced by a mark such as
   * `[redacted:…]`.
   */
  lastOutput(): string;
  /** Ends the agent and all processes that it started: with SIGTERM, and with SIGKILL after ten seconds. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
/**
 * HEAD: number of characters at the beginning of the output in which the session id is searched. TAIL: number of
 * characters at the end of the output that are shown.
 */
const [HEAD, TAIL] = [64 * 1024, 1_000];
/**
 * Characters at the end of the output that are searched for secrets. A secret may begin long before the part that is
 * shown.
 */
const SEARCHED = 64 * 1024;
/**
 * Replaces secrets in an agent's output by marks. The key is random, so that the hints in the marks differ between
 * runs.
 */
const redactor = createRedactor(randomBytes(32), "");

/**
 * Starts an agent in its own process group, so that Ctrl-C in the terminal does not reach the agent. The prompt goes to
 * standard input, because other users can read command lines.
 * @throws CommandFailure if the program cannot be started
 */
export async function startAgent(
  { program, title, session }: HeadlessAgent,
  args: readonly string[],
  { cwd, env, prompt }: { cwd: string; env: NodeJS.ProcessEnv; prompt: string },
): Promise<AgentProcess> {
  const child = spawn(program, args, { cwd, env, detached: true });
  await once(child, "spawn").catch((error: NodeJS.ErrnoException) => {
    const cure = error.code === "ENOENT" ? `install ${program}, and add it to the PATH` : undefined;
    throw new CommandFailure(`Cannot start ${program}: ${error.message}`, {
      exit: EXIT_CODES.failed,
      ...(cure && { cure }),
    });
  });
  const id = Number(child.pid);
  const ended = once(child, "exit").then(([code, signal]) =>
    code === 0 ? undefined : `${title} ended with ${code === null ? `the signal ${signal}` : `code ${code}`}.`,
  );
  let head = "";
  child.stdin.on("error", () => {}).end(prompt);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (head.length < HEAD) head += text;
  });
  const ends = [child.stdout, child.stderr].map(endOf);
  const stop = async () => {
    signalGroup(id, "SIGTERM");
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    // Processes that the agent started may still run.
    signalGroup(id, "SIGKILL");
    await ended;
  };
  return { id, ended, session: () => session?.exec(head)?.[1], lastOutput: () => formatLastOutput(ends), stop };
}

/**
 * Returns a function that returns the last characters of a stream. Each stream is stored separately: if the output of
 * two streams were mixed, a secret could be split in two and would not be found.
 */
function endOf(stream: Readable): () => string {
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    end = (end + text).slice(-SEARCHED);
  });
  return () => end;
}

const formatLastOutput = (ends: readonly (() => string)[]): string =>
  ends
    .map((end) => redactor.text(end()).trim().slice(-TAIL))
    .filter(Boolean)
    .join("\n");

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // The process group has ended.
  }
}

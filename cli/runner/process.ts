import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { redactorFor } from "../../redaction/index.ts";
import { EXIT, Failure } from "../failure.ts";

/** An agent that runs without a person: its own headless command takes the prompt on standard input. */
export interface Agent {
  title: string;
  program: string;
  /** The arguments. `session` is the id that its session is to have, where it takes one. */
  args(session: string): string[];
  /** Its switch that lets it run everything without asking. */
  bypass: string;
  /** Finds the id of its session in its output. Left out for an agent that takes the id it is given. */
  session?: RegExp;
}

/** The agents that `trackway run` starts, in their default permission mode. Adding one is an entry. */
export const AGENTS: Readonly<Record<string, Agent>> = {
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

/** An agent at work. */
export interface AgentProcess {
  id: number;
  /** Resolves at its end with what was wrong, in a sentence, if anything. */
  ended: Promise<string | undefined>;
  /** The id of its session, as soon as it says it. */
  session(): string | undefined;
  /** The end of its output and that of its errors, for a person, with a mark for each secret. */
  lastOutput(): string;
  /** Ends it with all that it started: a request first, force after ten seconds. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
/** Characters of its output in which the session's id is looked for, and of its end that are shown. */
const [HEAD, TAIL] = [64 * 1024, 1_000];
/** Characters of the end that are searched for secrets: one may begin long before what is shown of it. */
const SEARCHED = 64 * 1024;
/** Marks of one run have hints that no other run has. */
const redactor = redactorFor(randomBytes(32), "");

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
  let head = "";
  child.stdin.on("error", () => {}).end(prompt);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (head.length < HEAD) head += text;
  });
  const ends = [child.stdout, child.stderr].map(endOf);
  const stop = async () => {
    signalGroup(id, "SIGTERM");
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    // Programs that the agent started may outlive it.
    signalGroup(id, "SIGKILL");
    await ended;
  };
  return { id, ended, session: () => session?.exec(head)?.[1], lastOutput: () => shown(ends), stop };
}

/** Keeps the end of a stream. Each stream has its own: a secret whose parts another one divides would not be found. */
function endOf(stream: Readable): () => string {
  let end = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    end = (end + text).slice(-SEARCHED);
  });
  return () => end;
}

const shown = (ends: readonly (() => string)[]): string =>
  ends
    .map((end) => redactor.text(end()).trim().slice(-TAIL))
    .filter(Boolean)
    .join("\n");

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // None of the group is left.
  }
}

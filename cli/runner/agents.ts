import { randomUUID } from "node:crypto";

/** An agent that runs without a person: its own headless command takes the prompt on standard input. */
export interface Runnable {
  title: string;
  program: string;
  /** The arguments. `session` is the id that its session is to have, where it takes one. */
  args(options: { session: string; isBypassing: boolean }): string[];
  /** True if the session has the id that it was given. */
  takesSession: boolean;
  /** The id of its session, in a line of its output. */
  sessionIn?(line: Record<string, unknown>): unknown;
}

/** The agents that `trackway run` starts, in their default permission mode. Adding one is an entry. */
export const RUNNABLE: Readonly<Record<string, Runnable>> = {
  "claude-code": {
    title: "Claude Code",
    program: "claude",
    args: ({ session, isBypassing }) => [
      "-p",
      ...["--session-id", session],
      ...(isBypassing ? ["--dangerously-skip-permissions"] : []),
    ],
    takesSession: true,
  },
  codex: {
    title: "Codex",
    program: "codex",
    args: ({ isBypassing }) => [
      ...["exec", "--json"],
      ...(isBypassing ? ["--dangerously-bypass-approvals-and-sandbox"] : []),
      "-",
    ],
    takesSession: false,
    sessionIn: (line) => line["thread_id"],
  },
  opencode: {
    title: "OpenCode",
    program: "opencode",
    args: ({ isBypassing }) => [
      ...["run", "--format", "json"],
      ...(isBypassing ? ["--dangerously-skip-permissions"] : []),
    ],
    takesSession: false,
    sessionIn: (line) => line["sessionID"],
  },
};

/** The id of the next session of an agent that takes one. */
export const nextSession = (): string => randomUUID();

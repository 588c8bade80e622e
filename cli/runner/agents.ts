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

/** Options of bash that reveal failures within a line. */
export type Strictness = "errexit" | "pipefail";

/** The shell in which an agent runs a command line. */
interface AgentShell {
  /** Options that take effect in the agent's shell. Bash ignores `errexit` in a list of `&&`. */
  keeps: readonly Strictness[];
  /** Scripts that the agent's releases pass to a shell for a line. A test runs each script. */
  scripts: readonly ((line: string) => string)[];
}

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

/** Passes the line to the shell unchanged. */
const asIs = (line: string): string => line;

const grouped = (line: string): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; { ${line}; }; __code=$?; pgrep -g 0 >/dev/null 2>&1; exit $__code;`;

const both = ["errexit", "pipefail"] as const;

/**
 * Shells of agents, by the agent's name in a session. All sources except Claude Code's are public. For a missing
 * agent no option takes effect: Cursor and GitHub Copilot do not publish how they run a line.
 */
export const AGENT_SHELLS: ReadonlyMap<string, AgentShell> = new Map<string, AgentShell>([
  [
    "claude-code",
    {
      keeps: ["pipefail"],
      scripts: [
        (line) => `source /dev/null 2>/dev/null || true && eval ${quoted(line)} < /dev/null && pwd -P >| /dev/null`,
        (line) =>
          `source /dev/null && shopt -u extglob 2>/dev/null || true && eval ${quoted(line)} \\< /dev/null && pwd -P >| /dev/null`,
      ],
    },
  ],
  ["codex", { keeps: both, scripts: [asIs, (line) => `. /dev/null\n\nexec bash -c ${quoted(line)}`] }],
  [
    "gemini-cli",
    {
      keeps: both,
      scripts: [
        grouped,
        (line) =>
          `_bgpids_file=/dev/null\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${line}\n)\n__code=$?\nexit $__code`,
      ],
    },
  ],
  ["qwen-code", { keeps: both, scripts: [grouped, asIs] }],
  ["opencode", { keeps: both, scripts: [asIs] }],
  ["pi", { keeps: both, scripts: [asIs] }],
]);

/** Returns the options that take effect in a line of an agent. */
export const keptOptions = (agent: string | null): ReadonlySet<string> => new Set(AGENT_SHELLS.get(agent ?? "")?.keeps);

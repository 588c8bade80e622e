/** Options of bash by which a line has its failures seen. */
export type Strictness = "errexit" | "pipefail";

/** The shell in which an agent runs a command line. */
interface AgentShell {
  /** Options that count where the agent runs them: bash ignores `errexit` in a list of `&&`. */
  keeps: readonly Strictness[];
  /** The scripts that the agent's releases hand to a shell for a line. A test runs each. */
  scripts: readonly ((line: string) => string)[];
}

const quoted = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

/** Hands the line to the shell as it is. */
const asIs = (line: string): string => line;

const grouped = (line: string): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; { ${line}; }; __code=$?; pgrep -g 0 >/dev/null 2>&1; exit $__code;`;

const both = ["errexit", "pipefail"] as const;

/**
 * The shells of agents, by the agent's name in a session. The sources of all but Claude Code are public. An agent that is
 * missing keeps no option: Cursor and GitHub Copilot do not publish how they run a line.
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

/** The options that count in a line of an agent. */
export const keptOptions = (agent: string | null): ReadonlySet<string> => new Set(AGENT_SHELLS.get(agent ?? "")?.keeps);

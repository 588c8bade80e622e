/** Options of bash that reveal failures within a line. */
type Strictness = "errexit" | "pipefail";

/** The shell in which an agent runs a command line. */
export interface AgentShell {
  /** Options that take effect in the agent's shell. Bash ignores `errexit` in a list of `&&`. */
  keeps: readonly Strictness[];
  /** Scripts that the agent's releases pass to a shell for a line. A test runs each script. */
  scripts: readonly ((line: string) => string)[];
}

/** Quotes a line as one word of a shell. */
export const quoteWord = (line: string): string => `'${line.replaceAll("'", `'\\''`)}'`;

/** Passes the line to the shell unchanged. */
export const asIs = (line: string): string => line;

/** Both options. */
export const BOTH: readonly Strictness[] = ["errexit", "pipefail"];

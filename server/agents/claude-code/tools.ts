import { type AgentShell, quoteWord } from "../agent-shell.ts";
import { splitCommands } from "../shell-text.ts";
import { type ExitCodeReader, parseOptionalNumber, type Tools, type Wording, withoutAction } from "../tools.ts";

/** Other agents use some of these names too, with the same meaning. */
export const tools: Tools = {
  edit: "edit",
  write: "write",
  multiedit: "edit",
  notebookedit: "edit",
  bash: "run",
  todowrite: "plan",
  taskcreate: "planItem",
  taskupdate: "planItem",
  ...withoutAction(`read grep glob ls notebookread webfetch websearch todoread task agent bashoutput killshell killbash taskoutput
    taskstop exitplanmode enterplanmode askuserquestion toolsearch skill taskget tasklist`),
};

/**
 * Claude Code reports success for a shell text with certain exit codes above 0 if the last command has one of these
 * names.
 */
const LENIENT = new Set(["grep", "egrep", "fgrep", "rg", "ag", "find", "diff", "cmp", "test", "[", "[["]);
function isLenient(command: string): boolean {
  const [name = "test", ...words] = splitCommands(command)?.at(-1) ?? [];
  return LENIENT.has(name) || (name === "git" && words.some((word) => word === "grep" || word === "diff"));
}
/** After this time, in ms, Claude Code moves a command to the background and reports success. */
const CLAUDE_TIMEOUT_MS = 120_000;

/**
 * An error begins with the exit code. A success means exit code 0, except for commands that continue in the
 * background.
 */
export const readExitCode: ExitCodeReader = ({ result, success, latency, command, input, metadata }) => {
  if (!success) return parseOptionalNumber(/^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(result)?.[1]);
  const timeout = typeof input["timeout"] === "number" ? input["timeout"] : CLAUDE_TIMEOUT_MS;
  if (
    latency === null ||
    latency >= timeout ||
    metadata["backgroundTaskId"] ||
    metadata["interrupted"] ||
    /"interrupted":\s*true|"returnCodeInterpretation"/.test(result) ||
    isLenient(command)
  )
    return undefined;
  return 0;
};

/** Output of a command that continues after the call. */
export const goesOn =
  /^Command (?:running in background|was manually backgrounded|moved to background)|"backgroundTaskId"|running in background with ID/;

/** As observed in releases, because the source of Claude Code is not public. */
export const shell: AgentShell = {
  keeps: ["pipefail"],
  scripts: [
    (line) => `source /dev/null 2>/dev/null || true && eval ${quoteWord(line)} < /dev/null && pwd -P >| /dev/null`,
    (line) =>
      `source /dev/null && shopt -u extglob 2>/dev/null || true && eval ${quoteWord(line)} \\< /dev/null && pwd -P >| /dev/null`,
  ],
};

export const wording: Wording = {
  leads: [/<tool_use_error>/, /API Error: \d{3} (?=[{[])/, /\[[^\][]{1,200}\.(?:sh|py|js|ts)\]: /],
  silent: [/Exit code \d+/],
  tags: [/<\/?tool_use_error>/],
};

import { type AgentShell, BOTH } from "../agent-shell.ts";
import { type ExitCodeReader, type Tools, type Wording, withoutAction } from "../tools.ts";

/** Tools of Gemini CLI. Qwen Code also has most of Gemini CLI's tools. */
export const tools: Tools = {
  replace: "edit",
  write_file: "write",
  run_shell_command: "run",
  write_todos: "plan",
  ...withoutAction(`read_file read_many_files search_file_content grep_search list_directory web_fetch google_web_search
    web_search save_memory cli_help codebase_investigator ask_user enter_plan_mode exit_plan_mode`),
};

/**
 * Lines that Gemini CLI and Qwen Code write after the output, read from the last line. Gemini CLI omits an exit code
 * of 0.
 */
const FOOT = /^(?:Process Group PGID|Background PIDs|Signal|Exit Code|Error): ?(.*)$/;
function footOf(result: string): Map<string, string> {
  const foot = new Map<string, string>();
  for (const line of result.trimEnd().split("\n").reverse()) {
    const value = FOOT.exec(line)?.[1];
    if (value === undefined) break;
    foot.set(line.slice(0, line.indexOf(":")), value);
  }
  return foot;
}
const isNone = (value: string | undefined): boolean => value === undefined || value === "(none)";

/** Creates the reader of the lines. `mayLeaveOut` is true if the agent omits an exit code of 0. */
export const readFoot =
  (mayLeaveOut: boolean): ExitCodeReader =>
  ({ result, success }) => {
    const foot = footOf(result);
    if (!foot.has("Process Group PGID") || !isNone(foot.get("Signal")) || !isNone(foot.get("Background PIDs")))
      return undefined;
    const told = /^-?\d+$/.exec(foot.get("Exit Code") ?? "")?.[0];
    if (told !== undefined) return Number(told);
    return mayLeaveOut &&
      success &&
      !foot.has("Exit Code") &&
      isNone(foot.get("Error")) &&
      result.startsWith("Output: ")
      ? 0
      : undefined;
  };

export const grouped = (line: string): string =>
  `shopt -u promptvars nullglob extglob nocaseglob dotglob; { ${line}; }; __code=$?; pgrep -g 0 >/dev/null 2>&1; exit $__code;`;

export const shell: AgentShell = {
  keeps: BOTH,
  scripts: [
    grouped,
    (line) => `_bgpids_file=/dev/null\n(\n  trap 'jobs -p > "$_bgpids_file"' EXIT\n${line}\n)\n__code=$?\nexit $__code`,
  ],
};

export const wording: Wording = {
  leads: [
    /<untrusted_context>/,
    /Output: /,
    /MCP tool '[^']*' reported tool error for function call: .* with response: /,
  ],
  silent: [
    /<\/?untrusted_context>/,
    /(?:Command|Directory|Signal|Background PIDs|Process Group PGID): .*/,
    /Exit Code: \d+/,
    /Error: \(none\)/,
    /\(empty\)/,
  ],
  tags: [/<\/?untrusted_context>/],
};

import { readOwn } from "../../../../formats/own.ts";
import type { ActionEvent } from "./action.ts";
import { splitCommands } from "./shell.ts";

/** Parts of the record from which an exit code is read. */
type Run = Pick<ActionEvent, "result" | "success" | "latency"> & {
  command: string;
  metadata: Readonly<Record<string, unknown>>;
  input: Readonly<Record<string, unknown>>;
};

/** Reads the exit code of a finished command; undefined if the record does not contain the exit code. */
type Reader = (run: Run) => number | undefined;

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

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/**
 * An error begins with the exit code. A success means exit code 0, except for commands that continue in the
 * background.
 */
const claudeCode: Reader = ({ result, success, latency, command, input, metadata }) => {
  if (!success) return numberIn(/^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(result)?.[1]);
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

/** The head that Codex writes before the output. The command's own output follows the head. */
const CODEX = [
  /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\nProcess exited with code (-?\d+)\n/,
  /^Exit code: (-?\d+)\nWall time: /,
];
const codex: Reader = ({ result }) => CODEX.flatMap((head) => numberIn(head.exec(result)?.[1]) ?? [])[0];

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

const footed =
  (mayLeaveOut: boolean): Reader =>
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

const copilot: Reader = ({ result }) =>
  numberIn(/<(?:shellId: \S+ completed|exited) with exit code (-?\d+)>\s*$/.exec(result)?.[1]);

/** Pi reports an error for exit codes other than 0, with the exit code. */
const pi: Reader = ({ result, success }) =>
  success ? 0 : numberIn(/\n?Command exited with code (\d+)\s*$/.exec(result)?.[1]);

/** Readers by agent. Each agent writes exit codes in a different format. */
const READERS: Readonly<Record<string, Reader>> = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": footed(true),
  "qwen-code": footed(false),
  copilot,
  "github-copilot": copilot,
  pi,
};

/**
 * Returns the exit code of a command, or null. A number that the agent reported separately has priority over the
 * output. For a failed call, exit code 0 is a contradiction and gives null.
 */
export function readExitCode(agent: string | null, run: Run): number | null {
  const told = run.metadata["exit_code"] ?? run.metadata["exitCode"];
  const code = Number.isInteger(told) ? Number(told) : readOwn(READERS, agent ?? "")?.(run);
  return code === undefined || (code === 0 && !run.success) ? null : code;
}

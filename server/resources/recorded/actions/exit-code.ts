import { readOwn } from "../../../../formats/own.ts";
import type { ActionEvent } from "./action.ts";
import { commandsIn } from "./shell.ts";

/** Parts of the record from which an exit code is read. */
type Run = Pick<ActionEvent, "result" | "success" | "latency"> & {
  command: string;
  metadata: Readonly<Record<string, unknown>>;
  input: Readonly<Record<string, unknown>>;
};

/** Reads the exit code of a command that ended; undefined where the record does not say it. */
type Reader = (run: Run) => number | undefined;

/** Claude Code calls a text of shell successful with some exit codes above 0 if its last command is one of these. */
const LENIENT = new Set(["grep", "egrep", "fgrep", "rg", "ag", "find", "diff", "cmp", "test", "[", "[["]);
function isLenient(command: string): boolean {
  const [name = "test", ...words] = commandsIn(command)?.at(-1) ?? [];
  return LENIENT.has(name) || (name === "git" && words.some((word) => word === "grep" || word === "diff"));
}
/** After so many ms Claude Code moves a command to the background, and calls that a success. */
const CLAUDE_TIMEOUT_MS = 120_000;

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** An error begins with its exit code. A success is one of 0, but for commands that went on in the background. */
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

/** The head that Codex writes above an output. What a command itself printed stands behind it. */
const CODEX = [
  /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\nProcess exited with code (-?\d+)\n/,
  /^Exit code: (-?\d+)\nWall time: /,
];
const codex: Reader = ({ result }) => CODEX.flatMap((head) => numberIn(head.exec(result)?.[1]) ?? [])[0];

/** The lines that Gemini CLI and Qwen Code write below an output, the last first. Gemini CLI leaves an exit code of 0 out. */
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

/** It refuses what ended with another code, and says which. */
const pi: Reader = ({ result, success }) =>
  success ? 0 : numberIn(/\n?Command exited with code (\d+)\s*$/.exec(result)?.[1]);

/** The readers by agent: each writes an exit code in a way of its own. */
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
 * The exit code of a command, or null. A number that the agent reported beside the output goes before all. A call that
 * failed never has 0: the two contradict each other.
 */
export function exitCodeOf(agent: string | null, run: Run): number | null {
  const told = run.metadata["exit_code"] ?? run.metadata["exitCode"];
  const code = Number.isInteger(told) ? Number(told) : readOwn(READERS, agent ?? "")?.(run);
  return code === undefined || (code === 0 && !run.success) ? null : code;
}

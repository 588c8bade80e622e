import { type AgentShell, asIs, BOTH, quoteWord } from "../agent-shell.ts";
import { type ExitCodeReader, parseOptionalNumber, type Tools, type Wording, withoutAction } from "../tools.ts";

export const tools: Tools = {
  apply_patch: "patch",
  exec_command: "run",
  shell: "run",
  shell_command: "run",
  local_shell: "run",
  update_plan: "plan",
  ...withoutAction("list_dir view_image"),
};

/** The head that Codex writes before the output. The command's own output follows the head. */
const HEADS = [
  /^(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\nProcess exited with code (-?\d+)\n/,
  /^Exit code: (-?\d+)\nWall time: /,
];
export const readExitCode: ExitCodeReader = ({ result }) =>
  HEADS.flatMap((head) => parseOptionalNumber(head.exec(result)?.[1]) ?? [])[0];

/**
 * The head in which Codex numbers and times a finished command. The head of a running command does not match, because
 * waiting for a command is not a loop.
 */
export const changingHead =
  "^(?:(?:Chunk ID|Exit code|Wall time|Process exited with code|Original token count)[^\\n]*\\n)+Output:\\n";

export const shell: AgentShell = {
  keeps: BOTH,
  scripts: [asIs, (line) => `. /dev/null\n\nexec bash -c ${quoteWord(line)}`],
};

export const wording: Wording = {
  leads: [/exec_command failed for `.*`: /],
  silent: [
    /Chunk ID: .*/,
    /Wall time: [\d.]+ seconds/,
    /(?:Process exited with code|Exit code:) \d+/,
    /(?:Original token count|Total output lines): \d+/,
    /Output:/,
    /tool call error: tool call failed for .*/,
    /Caused by:/,
  ],
};

import { isObject } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { agents, findAgent } from "../../../agents/index.ts";
import { readScript, unwrapShellCommand } from "../../../agents/shell-text.ts";
import type { FinishedCommand, ToolMeaning } from "../../../agents/tools.ts";
import type { Action, ActionEvent, CommandRun, FileChange } from "./action.ts";
import {
  MAX_PATH_CHARS,
  type ParsedToolCall,
  parseCall,
  parseJsonObject,
  readInputPath,
  readInputText,
  type ToolCallInput,
} from "./call.ts";
import { parseGitActions } from "./git.ts";
import { diffLines, parsePatchChanges, splitLines } from "./lines.ts";
import { readPlan, readPlanItem } from "./plan.ts";

/** Tools of Trackway's own MCP server, which reach only the server and change no file. */
const TRACKWAY = new Set(
  `list_teams get_team list_issues get_issue create_issue update_issue create_comment list_projects whoami list_sessions
  search_sessions get_session get_event capture_turn list_inbox next_issue claim_issue finish_issue release_issue link_issues
  similar_issues unlink_issues plan_issues list_cycles save_cycle save_label save_milestone save_project update_issues
  create_issue_from_session list_failures create_issue_from_failure recorded_usage`.split(/\s+/),
);

/**
 * Matches the name of the MCP server before the name of a tool. Claude Code, Gemini CLI, opencode and other agents
 * write this prefix in different forms.
 */
const SERVER = /^(?:mcp__.*__|(?:mcp_)?trackway[_-]|.*[./])/;

/** Returns true for a tool that certainly changes no file. */
function changesNothing(name: string): boolean {
  const own = name.toLowerCase().replace(SERVER, "");
  return READING.has(own) || TRACKWAY.has(own);
}

type Reader = (call: ParsedToolCall) => Action[];

/** Limits per event: actions, characters of a command, added lines, and characters per line. */
const ACTIONS = 200;
const COMMAND = 8_000;
const LINES = 400;
const LINE = 400;

const OLD = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const NEW = ["new_string", "newString", "new_str", "newText", "new_text", "new_source"];

const READERS: Readonly<Record<Exclude<ToolMeaning, "none">, Reader>> = {
  ...{ edit, write, delete: remove, patch, run },
  ...{ plan: readPlan, planItem: readPlanItem },
};

/** Meanings of the tools of all agents. */
const MEANINGS = agents.flatMap(({ tools = {} }) => Object.entries(tools));

/** Tools with actions, and the functions that read their calls. */
const TOOLS: Readonly<Record<string, Reader>> = Object.fromEntries(
  MEANINGS.flatMap(([name, meaning]) => (meaning === "none" ? [] : [[name, READERS[meaning]]])),
);

/** Tools that change no file. */
const READING: ReadonlySet<string> = new Set(
  MEANINGS.flatMap(([name, meaning]) => (["none", "plan", "planItem"].includes(meaning) ? [name] : [])),
);

/**
 * Returns the actions of a recorded event in order: changed files, commands, commits and pushes, and plans. The list is
 * empty for an event that is still running, and for an event that is not a call of a known tool. A failed call counts
 * as changing no file.
 */
export function readActions(event: ActionEvent): Action[] {
  const read = event.kind === "tool" && !event.open ? getOwnProperty(TOOLS, event.name.toLowerCase()) : undefined;
  if (!read) return [];
  return read(parseCall(event)).slice(0, ACTIONS);
}

/**
 * Effect that a call may have on files: a command that runs (`run`), or changed files (`change`). A call that is still
 * running may change files at any time. A null path means any file.
 */
type Effect =
  | { is: "run"; line: string; folder: string | undefined; exitCode: number | null; isBackground: boolean }
  | { is: "change"; paths: readonly (string | null)[] };

const ANY: Effect = { is: "change", paths: [null] };
const NOTHING: Effect = { is: "change", paths: [] };

/**
 * Returns the effect that a call may have on files, for code that must not miss a change. An unknown tool, or an input
 * that cannot be read, counts as a change of any file. A command text in `line` still contains a surrounding shell,
 * such as `bash -lc`; for a list of words, `line` is only the script.
 */
export function readEffect(event: ActionEvent): Effect {
  const read = getOwnProperty(TOOLS, event.name.toLowerCase());
  if (!read) return changesNothing(event.name) ? NOTHING : ANY;
  if (read === readPlan || read === readPlanItem) return NOTHING;
  // A failed patch may already have changed some files, so a failed patch is read like a successful patch.
  const call = parseCall({ ...event, success: event.success || event.open || read === patch });
  if (read === run) {
    const line = lineOf(call.input);
    if (line === undefined) return ANY;
    const { exitCode, isBackground, cwd } = ranBy(call, line);
    return { is: "run", line, folder: cwd, exitCode: event.open ? null : exitCode, isBackground };
  }
  if (!call.event.success) return NOTHING;
  const changes = read(call).filter((each) => each.kind === "file");
  const isWhole = changes.length > 0 && (read !== patch || /\*\*\* End Patch/.test(event.args));
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path]));
  return { is: "change", paths: isWhole ? paths : [...paths, null] };
}

const changed = (
  path: string,
  change: FileChange["change"],
  added: readonly string[],
  removed: number,
): FileChange => ({
  kind: "file",
  path,
  change,
  added: added.length,
  removed,
  lines: bounded(added),
});

const bounded = (lines: readonly string[]): string[] => lines.slice(0, LINES).map(truncateLine);

/** Cuts a line to the maximum length that is stored. */
export const truncateLine = (line: string): string => line.slice(0, LINE);

/**
 * Reads a call that replaces text in a file. The input contains one pair of old and new text, or a list of such pairs.
 */
function edit({ event, input }: ParsedToolCall): FileChange[] {
  const path = readInputPath(input);
  if (!event.success || path === undefined) return [];
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isObject) : [input];
  const parts = edits.map((each) => diffLines(readInputText(each, OLD) ?? "", readInputText(each, NEW) ?? ""));
  if (input["command"] === "view") return [];
  const added = parts.flatMap((part) => part.added);
  const removed = parts.reduce((sum, part) => sum + part.removed, 0);
  // Some agents create a file with an edit whose old text is empty. An edit that creates a file also counts as `edit`.
  return [changed(path, "edit", added, removed)];
}

/** Reads a call that writes a whole file. Only the result can show that the file is new. */
function write({ event, input }: ParsedToolCall): FileChange[] {
  const path = readInputPath(input);
  if (!event.success || path === undefined) return [];
  const content = readInputText(input, ["content", "file_text", "contents"]) ?? "";
  const isNew = /"type":"create"|created successfully|Successfully created/.test(event.result.slice(0, 2_000));
  const patched = parseJsonObject(event.result)?.["structuredPatch"];
  if (Array.isArray(patched) && patched.length > 0) {
    const lines = patched.flatMap((hunk) => (isObject(hunk) && Array.isArray(hunk["lines"]) ? hunk["lines"] : []));
    const added = lines.flatMap((line) => (String(line).startsWith("+") ? [String(line).slice(1)] : []));
    return [changed(path, "edit", added, lines.filter((line) => String(line).startsWith("-")).length)];
  }
  const whole = changed(path, isNew ? "create" : "edit", splitLines(content), 0);
  // If the call overwrote a file, the record does not show which lines are new, so no lines are stored.
  return [isNew ? whole : { ...whole, lines: [] }];
}

function remove({ event, input }: ParsedToolCall): FileChange[] {
  const path = readInputPath(input);
  return event.success && path !== undefined ? [changed(path, "delete", [], 0)] : [];
}

function patch({ event, input }: ParsedToolCall): FileChange[] {
  const text = readInputText(input, ["input", "patch", "patchText", "command", "text"]) ?? "";
  if (!event.success) return [];
  return parsePatchChanges(text).map((each) => ({
    ...each,
    path: each.path.slice(0, MAX_PATH_CHARS),
    lines: bounded(each.lines),
  }));
}

function run(call: ParsedToolCall): Action[] {
  const line = lineOf(call.input);
  const command = line && unwrapShellCommand(line);
  if (!command) return [];
  if (/^\s*apply_patch\b/.test(command)) return patch({ ...call, input: { text: command } });
  const { event } = call;
  const ran = ranBy(call, command);
  return [
    { ...ran, command: command.slice(0, COMMAND), cwd: ran.cwd ?? event.cwd },
    ...parseGitActions(command, event.result),
  ];
}

/** Joins patterns of all agents, because some recordings do not name the agent. */
const anyOf = (patterns: readonly RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join("|"), "m");
const GOES_ON = anyOf(agents.flatMap(({ goesOn = [] }) => goesOn));
const TRUNCATED = anyOf(agents.flatMap(({ truncated = [] }) => truncated));

/** Returns a command as an action, with its exit code and with the working folder that the call names. */
function ranBy(
  { event, input, metadata }: ParsedToolCall,
  command: string,
): Omit<CommandRun, "cwd"> & { cwd: string | undefined } {
  const isBackground =
    ["run_in_background", "is_background", "isBackground"].some((name) => getOwnProperty(input, name) === true) ||
    input["mode"] === "async" ||
    typeof metadata["backgroundTaskId"] === "string" ||
    /(?<!&)&\s*$/.test(command) ||
    GOES_ON.test(event.result);
  const told = metadata["truncated"];
  return {
    kind: "command",
    command,
    exitCode:
      isBackground || command.length > COMMAND
        ? null
        : readExitCode(event.agent, { ...event, command, input, metadata }),
    cwd: readInputText(input, ["workdir", "cwd", "dir_path", "directory"]) || undefined,
    isBackground,
    isOutputCut: (Array.isArray(told) && told.includes("result")) || TRUNCATED.test(event.result),
  };
}

/**
 * Returns the exit code of a command, or null. A number that the agent reported separately has priority over the
 * output. For a failed call, exit code 0 is a contradiction and gives null.
 */
function readExitCode(agent: string | null, command: FinishedCommand): number | null {
  const told = command.metadata["exit_code"] ?? command.metadata["exitCode"];
  const code = Number.isInteger(told) ? Number(told) : findAgent(agent)?.readExitCode?.(command);
  return code === undefined || (code === 0 && !command.success) ? null : code;
}

/**
 * Returns the command line of a call. If the command is a list of words that starts a shell, such as `["bash", "-lc",
 * "npm test"]`, returns only the script for the shell.
 */
function lineOf(input: ToolCallInput): string | undefined {
  const given = input["command"] ?? input["cmd"] ?? input["text"];
  if (typeof given === "string") return given || undefined;
  if (!Array.isArray(given) || !given.every((word) => typeof word === "string")) return undefined;
  return readScript(given) ?? (given.map(quoted).join(" ") || undefined);
}

const quoted = (word: string): string => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

import { posix } from "node:path";
import type { Act } from "./acts.ts";

/** A recorded call of a tool, with as much of its texts as is read. */
export interface Call {
  id: string;
  session: string;
  /** The agent's program, such as claude-code; null for a sender of another kind. */
  source: string | null;
  /** The folder that the session works in. */
  cwd: string | null;
  name: string;
  args: string;
  /** The beginning and the end of the result. */
  head: string;
  tail: string;
  success: boolean;
  message: string | null;
  /** Milliseconds since the epoch, and how long it took. */
  at: number;
  latency: number | null;
  open: boolean;
}

const SHELLS = new Set(
  "bash run_shell_command exec_command shell local_shell local_shell_call shell_command execute_command run_in_terminal".split(
    " ",
  ),
);
const EDITS = new Set(
  "edit write multiedit notebookedit replace write_file patch create str_replace str_replace_based_edit_tool".split(
    " ",
  ),
);
/** Tools that change no file, by the name after that of an MCP server. */
const READS = new Set(
  `read grep glob ls list notebookread webfetch websearch todowrite todoread task agent bashoutput killshell killbash taskoutput
  taskstop exitplanmode enterplanmode askuserquestion toolsearch skill update_plan list_dir view_image read_file
  read_many_files search_file_content grep_search list_directory web_fetch google_web_search web_search write_todos
  save_memory cli_help codebase_investigator ask_user enter_plan_mode exit_plan_mode todo_write view question
  taskcreate taskupdate taskget tasklist
  get_issue list_issues search_issues create_issue update_issue update_issues next_issue claim_issue finish_issue release_issue
  comment_on_issue add_comment link_issues unlink_issues list_inbox get_team list_teams list_projects get_session list_sessions
  search_sessions get_event list_failures create_issue_from_failure create_issue_from_session recorded_usage`.split(
    /\s+/,
  ),
);

const PATH_KEYS = ["file_path", "filePath", "notebook_path", "path"];

/** The acts that calls of one session are, in their order. A `cd` may hold for the calls after it: shells of agents go on. */
export function actsOf(calls: readonly Call[]): Act[] {
  let lost: string | undefined;
  return calls.flatMap((call): Act[] => {
    const args = objectIn(call.args);
    const base = { event: call.id, session: call.session, from: call.at, until: endOf(call) };
    const name = call.name.toLowerCase().replace(/^(?:mcp__.*__|.*[./])/, "");
    if (SHELLS.has(name)) {
      const line = args && lineOf(args);
      const named = args && textIn(args, ["workdir", "directory", "dir_path", "cwd"]);
      const folder = named !== undefined && named !== "" ? absolute(call.cwd, named) : (lost ?? call.cwd);
      if (line === undefined) return [{ ...base, folder, change: null }];
      const goes = leads(line, folder);
      if (goes === "elsewhere") lost = `/?/${call.id}`;
      const command = {
        line,
        exitCode: call.open ? null : exitCodeOf(call, line),
        isBackground: isBackground(call, args ?? {}),
      };
      return [{ ...base, folder, command }];
    }
    if (name === "apply_patch") return patched(call, args).map((change) => ({ ...base, folder: call.cwd, change }));
    if (EDITS.has(name)) {
      if (!call.success && !call.open) return [];
      return [{ ...base, folder: call.cwd, change: (args && textIn(args, PATH_KEYS)) ?? pathIn(call.args) }];
    }
    return READS.has(name) ? [] : [{ ...base, folder: call.cwd, change: null }];
  });
}

const endOf = ({ at, latency, open }: Call): number | null => (open || latency === null ? null : at + latency);

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function textIn(args: Record<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) if (typeof args[key] === "string") return args[key];
  return undefined;
}

/** A path out of arguments of which only the beginning was read; null where it is not in there. */
function pathIn(text: string): string | null {
  const [, quoted] = /"(?:file_path|filePath|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  return quoted === undefined ? null : (JSON.parse(quoted) as string);
}

/** The command line that a shell's call runs; undefined where it is not given as one. */
function lineOf(args: Record<string, unknown>): string | undefined {
  const given = args["command"] ?? args["cmd"];
  if (typeof given === "string") return given;
  if (!Array.isArray(given) || !given.every((each) => typeof each === "string")) return undefined;
  const [shell = "", option = "", line, ...more] = given as string[];
  if (/^(?:\/(?:usr\/)?bin\/)?(?:ba|z)?sh$/.test(shell) && /^-l?c$/.test(option))
    return more.length === 0 ? line : undefined;
  return (given as string[])
    .map((each) => (/^[\w./:=@%+-]+$/.test(each) ? each : `'${each.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

/** The files of a patch in the form that Codex gives; null for one that is not known. */
function patched({ args: text }: Call, args: Record<string, unknown> | undefined): (string | null)[] {
  const patch = (args && textIn(args, ["input", "patch", "patchText", "command"])) ?? text;
  const paths = [...patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(([, path = ""]) =>
    path.trim(),
  );
  return paths.length > 0 ? paths : [null];
}

const absolute = (cwd: string | null, path: string): string | null =>
  posix.isAbsolute(path) ? path : cwd === null ? null : posix.resolve(cwd, path);

/** Finds out if a line may leave its shell in another folder than it began in. */
function leads(line: string, folder: string | null): "elsewhere" | "nowhere" {
  const all = [...line.matchAll(/(?<![\w./-])(?:cd|pushd|popd|chdir|z)\b[ \t]*([^\s;&|)]*)/g)];
  const back = (to: string) => folder !== null && posix.isAbsolute(to) && posix.resolve(to) === posix.resolve(folder);
  return all.every(([, to = ""]) => back(to.replace(/^(["'])(.*)\1$/, "$2"))) ? "nowhere" : "elsewhere";
}

/** A line that ends with a comparison: Claude Code takes code 1 of it for a success, whichever command of the line it is of. */
const COMPARES = /(?:^|[|;&\n])\s*(?:\w*grep|rg|find|diff|test|\[)\s[^|;&\n]*$/;

const number = (text: string | undefined): number | null => (text === undefined ? null : Number(text));

/** The exit code of a shell's call, as its agent reports it; null where that leaves it open. */
function exitCodeOf(call: Call, line: string): number | null {
  const { source, success, head, tail, message } = call;
  const said = `${message ?? ""}\n${head}`;
  const last = (pattern: RegExp) => [...tail.matchAll(pattern)].at(-1)?.[1];
  switch (source) {
    case "claude-code":
      if (!success) return number(/^\s*(?:Error: )?Exit code (\d+)$/m.exec(said)?.[1]);
      return /"interrupted":\s*true|"returnCodeInterpretation"/.test(head + tail) || COMPARES.test(line) ? null : 0;
    case "gemini-cli": {
      if (!/^Process Group PGID: /m.test(tail) || /^Signal: (?!\(none\))/m.test(tail)) return null;
      return number(last(/^Exit Code: (\d+)$/gm)) ?? (success ? 0 : null);
    }
    case "qwen-code":
      return /^Signal: (?!\(none\))/m.test(tail) ? null : number(last(/^Exit Code: (\d+)$/gm));
    case "codex": {
      const header = (head.split("\nOutput:")[0] ?? "").slice(0, 400);
      const [, plain] = /^(?:Process exited with code|Exit code:) (\d+)$/m.exec(header) ?? [];
      const inJson = /"metadata":\s*\{[^{}]*"exit_code":\s*(\d+)/.exec(tail)?.[1];
      return number(
        plain ??
          (head.startsWith('{"output"') ? inJson : undefined) ??
          /^Process exited with code (\d+)$/m.exec(message ?? "")?.[1],
      );
    }
    case "opencode":
      return !success || /<bash_metadata>|<shell_metadata>/.test(tail) ? null : 0;
    case "copilot":
    case "github-copilot":
      return number(last(/<(?:shellId: \S+ completed|exited) with exit code (\d+)>/g));
    default:
      return null;
  }
}

const isBackground = ({ head }: Call, args: Record<string, unknown>): boolean =>
  args["run_in_background"] === true ||
  args["is_background"] === true ||
  args["isBackground"] === true ||
  args["mode"] === "async" ||
  /"backgroundTaskId"|running in background with ID|^Background PIDs: (?!\(none\))/m.test(head);

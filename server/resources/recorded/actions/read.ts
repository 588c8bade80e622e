import { isObject } from "../../../../formats/json.ts";
import type { Action, ActionEvent, CommandRun, FileChange, Plan, PlanItem } from "./action.ts";
import { exitCodeOf } from "./exit-code.ts";
import { gitActions } from "./git.ts";
import { difference, linesOf } from "./lines.ts";
import { patchChanges } from "./patch.ts";
import { scriptOf, unwrapped } from "./shell.ts";

type Input = Readonly<Record<string, unknown>>;

/** A tool's call, taken apart. */
interface Call {
  event: ActionEvent;
  input: Input;
  metadata: Input;
}

type Reader = (call: Call) => Action[];

/** Bounds of what is kept of an event: actions, characters of a text, and added lines with the characters of each. */
const ACTIONS = 200;
const PATH = 1_000;
const COMMAND = 8_000;
const LINES = 400;
const LINE = 400;
const ITEMS = 100;
const ITEM = 500;

const OLD = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const NEW = ["new_string", "newString", "new_str", "newText", "new_text", "new_source"];

/** The tools that act, in lower case, and how their calls are read. Agents that share a name share the meaning. */
const TOOLS: Readonly<Record<string, Reader>> = {
  // Claude Code
  edit,
  write,
  multiedit: edit,
  notebookedit: edit,
  bash: run,
  todowrite: plan,
  taskcreate: task,
  taskupdate: task,
  // Codex
  apply_patch: patch,
  exec_command: run,
  shell: run,
  shell_command: run,
  local_shell: run,
  update_plan: plan,
  // Gemini CLI and Qwen Code
  replace: edit,
  write_file: write,
  run_shell_command: run,
  write_todos: plan,
  todo_write: plan,
  // OpenCode
  patch,
  // GitHub Copilot
  create: write,
  str_replace: edit,
  str_replace_editor: edit,
  // Cursor
  run_terminal_cmd: run,
  edit_file: edit,
  search_replace: edit,
  delete_file: remove,
  delete: remove,
};

/**
 * The actions of a recorded event, in the order in which they happened: changes of files, runs of commands, what git
 * reported, and the plan. An event that is no call of a known tool, or goes on, has none. What failed changed no file.
 */
export function actionsOf(event: ActionEvent): Action[] {
  const read = event.kind === "tool" && !event.open ? TOOLS[event.name.toLowerCase()] : undefined;
  if (!read) return [];
  const call = { event, input: inputOf(event.args), metadata: objectIn(event.metadata ?? "") ?? {} };
  return read(call).slice(0, ACTIONS);
}

const objectIn = (json: string): Input | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The input of a call. A text that is no object is the command or the patch itself. */
const inputOf = (args: string): Input => objectIn(args) ?? { text: args };

function textOf(input: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === "string") return value;
  }
  return undefined;
}

const pathOf = (input: Input): string | undefined =>
  textOf(input, ["file_path", "filePath", "path", "notebook_path", "target_file"])?.slice(0, PATH) || undefined;

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

const bounded = (lines: readonly string[]): string[] => lines.slice(0, LINES).map(keptLine);

/** A line as far as it is kept. */
export const keptLine = (line: string): string => line.slice(0, LINE);

/** A call that replaces texts in a file: one pair of them, or a list. */
function edit({ event, input }: Call): FileChange[] {
  const path = pathOf(input);
  if (!event.success || path === undefined) return [];
  const edits = Array.isArray(input["edits"]) ? input["edits"].filter(isObject) : [input];
  const parts = edits.map((each) => difference(textOf(each, OLD) ?? "", textOf(each, NEW) ?? ""));
  if (input["command"] === "view") return [];
  const added = parts.flatMap((part) => part.added);
  const removed = parts.reduce((sum, part) => sum + part.removed, 0);
  // An edit of nothing into something makes the file, where the agent takes that.
  return [changed(path, "edit", added, removed)];
}

/** A call that writes a file whole. Only its answer may say that there was none before. */
function write({ event, input }: Call): FileChange[] {
  const path = pathOf(input);
  if (!event.success || path === undefined) return [];
  const content = textOf(input, ["content", "file_text", "contents"]) ?? "";
  const isNew = /"type":"create"|created successfully|Successfully created/.test(event.result.slice(0, 2_000));
  const patched = objectIn(event.result)?.["structuredPatch"];
  if (Array.isArray(patched) && patched.length > 0) {
    const lines = patched.flatMap((hunk) => (isObject(hunk) && Array.isArray(hunk["lines"]) ? hunk["lines"] : []));
    const added = lines.flatMap((line) => (String(line).startsWith("+") ? [String(line).slice(1)] : []));
    return [changed(path, "edit", added, lines.filter((line) => String(line).startsWith("-")).length)];
  }
  const whole = changed(path, isNew ? "create" : "edit", linesOf(content), 0);
  // In place of another text it is not known which lines are new.
  return [isNew ? whole : { ...whole, lines: [] }];
}

function remove({ event, input }: Call): FileChange[] {
  const path = pathOf(input);
  return event.success && path !== undefined ? [changed(path, "delete", [], 0)] : [];
}

function patch({ event, input }: Call): FileChange[] {
  const text = textOf(input, ["input", "patch", "patchText", "command", "text"]) ?? "";
  if (!event.success) return [];
  return patchChanges(text).map((each) => ({
    ...each,
    path: each.path.slice(0, PATH),
    lines: bounded(each.lines),
  }));
}

function run(call: Call): Action[] {
  const { event, input, metadata } = call;
  const command = commandOf(input);
  if (command === undefined) return [];
  if (/^\s*apply_patch\b/.test(command)) return patch({ ...call, input: { text: command } });
  const isBackground =
    input["run_in_background"] === true ||
    input["is_background"] === true ||
    typeof metadata["backgroundTaskId"] === "string" ||
    /(?<!&)&\s*$/.test(command) ||
    /^(?:Command running in background|Command was manually backgrounded|Command moved to background|(?:Chunk ID: [^\n]*\n)?Wall time: [^\n]*\nProcess running with session ID)/.test(
      event.result,
    );
  const told = metadata["truncated"];
  const ran: CommandRun = {
    kind: "command",
    command: command.slice(0, COMMAND),
    exitCode:
      isBackground || command.length > COMMAND ? null : exitCodeOf(event.agent, { ...event, command, input, metadata }),
    cwd: textOf(input, ["workdir", "cwd", "dir_path", "directory"]) ?? event.cwd,
    isBackground,
    isOutputCut:
      (Array.isArray(told) && told.includes("result")) ||
      /^Warning: truncated output |characters truncated|tokens truncated/m.test(event.result),
  };
  return [ran, ...gitActions(command, event.result)];
}

/** The command, out of the shell around it. */
function commandOf(input: Input): string | undefined {
  const given = input["command"] ?? input["cmd"] ?? input["text"];
  if (typeof given === "string") return unwrapped(given) || undefined;
  if (!Array.isArray(given) || !given.every((word) => typeof word === "string")) return undefined;
  return (
    scriptOf(given) ??
    (given.map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word))).join(" ") || undefined)
  );
}

function plan({ event, input }: Call): Plan[] {
  const list = input["todos"] ?? input["plan"];
  if (!event.success || !Array.isArray(list)) return [];
  const items = list.filter(isObject).slice(0, ITEMS).map(itemOf);
  return [{ kind: "plan", items }];
}

const itemOf = (item: Input): PlanItem => ({
  text: (textOf(item, ["content", "step", "description", "title", "subject"]) ?? "").slice(0, ITEM),
  status: (textOf(item, ["status"]) ?? "pending").slice(0, 40),
});

/** Claude Code's newer tools state one item at a time; the answer to its making names its number. */
function task({ event, input }: Call): Plan[] {
  const id =
    textOf(input, ["taskId", "task_id"]) ?? /\bTask #?(\d+)/.exec(event.result)?.[1] ?? numberOfTask(event.result);
  if (!event.success || id === undefined) return [];
  const status = textOf(input, ["status"])?.slice(0, 40);
  return [{ kind: "plan", item: { id: id.slice(0, 40), text: textOf(input, ["subject"])?.slice(0, ITEM), status } }];
}

function numberOfTask(result: string): string | undefined {
  const made = objectIn(result)?.["task"];
  return isObject(made) && (typeof made["id"] === "string" || typeof made["id"] === "number")
    ? String(made["id"])
    : undefined;
}

/** The plan after a number of statements of it, in order of time. A deleted item is left out. */
export function planAfter(statements: readonly Plan[]): PlanItem[] {
  let items = new Map<string, PlanItem>();
  for (const { items: all, item } of statements) {
    if (all) items = new Map(all.map((each, index) => [`list ${index}`, each]));
    else if (item?.status === "deleted") items.delete(item.id);
    else if (item) {
      const known = items.get(item.id);
      items.set(item.id, { text: item.text ?? known?.text ?? "", status: item.status ?? known?.status ?? "pending" });
    }
  }
  return [...items.values()].slice(0, ITEMS);
}

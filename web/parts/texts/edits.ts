import { getOwnProperty } from "../../../formats/own.ts";

/** Unchanged, added or removed line of an edit. */
export type DiffLine = readonly [mark: " " | "+" | "-", text: string];

/** Change of a file, as described by a tool call. */
export interface FileEdit {
  file: string;
  lines: readonly DiffLine[];
  /** True if the call wrote the whole file. The previous content is unknown. */
  whole?: true;
}

type Members = Record<string, unknown>;

const FILE = ["file_path", "filePath", "path", "notebook_path", "target_file"];
const OLD = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const NEW = ["new_string", "newString", "new_str", "newText", "new_text", "new_source"];
const WHOLE = ["content", "file_text", "contents"];
const PATCH = ["input", "patch", "patchText", "command", "text"];

/** Parses the edits from the recorded arguments of a call; empty for a call that edits nothing. */
export function parseEdits(args: string): FileEdit[] {
  const input = objectOf(args) ?? { text: args };
  const patch = textOf(input, PATCH);
  if (patch?.includes("*** Begin Patch")) return patchEdits(patch);
  const file = textOf(input, FILE) ?? "";
  const whole = textOf(input, WHOLE);
  const list = Array.isArray(input["edits"]) ? input["edits"] : [input];
  const edits = list.flatMap((each) => {
    const [before, after] = [OLD, NEW].map((names) => textOf((each ?? {}) as Members, names));
    return before === undefined || after === undefined ? [] : [{ file, lines: linesBetween(before, after) }];
  });
  if (edits.length > 0 || !file || whole === undefined) return edits;
  return [{ file, lines: whole.split("\n").map((line) => ["+", line]), whole: true }];
}

/**
 * Returns true if an edit changes the file `path`, which is relative to `folder`. If the folder is unknown, compares
 * only the end of the edit's full path.
 */
export const isEditOfFile = ({ file }: FileEdit, path: string, folder = ""): boolean =>
  file === path || (folder ? file === `${folder}/${path}` : file.endsWith(`/${path}`));

function objectOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the first of the named values that is a string. If a value is a list, uses the last element of the list. */
function textOf(input: Members, names: readonly string[]): string | undefined {
  for (const name of names) {
    const given = getOwnProperty(input, name);
    const value = Array.isArray(given) ? given.at(-1) : given;
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** Returns the removed and added lines, with up to three unchanged lines before and after. */
function linesBetween(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const marked = (mark: DiffLine[0], lines: string[]): DiffLine[] => lines.map((line) => [mark, line]);
  return [
    ...marked(" ", old.slice(Math.max(0, head - 3), head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", now.slice(head, now.length - tail)),
    ...marked(" ", old.slice(old.length - tail, old.length - tail + 3)),
  ];
}

/** Parses the edits of an `apply_patch` patch, one edit per file. */
function patchEdits(text: string): FileEdit[] {
  const edits: { file: string; lines: DiffLine[] }[] = [];
  for (const line of text.slice(text.indexOf("*** Begin Patch")).split(/\r?\n/)) {
    if (line.startsWith("*** End Patch")) break;
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1];
    const moved = /^\*\*\* Move to: (.+)$/.exec(line)?.[1];
    const current = edits.at(-1);
    if (file) edits.push({ file: file.trim(), lines: [] });
    else if (current && moved) current.file = moved.trim();
    else if (current && /^[ +-]/.test(line)) current.lines.push([line[0] as DiffLine[0], line.slice(1)]);
  }
  return edits;
}

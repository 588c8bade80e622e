import { readOwn } from "../../../formats/own.ts";

/** A line of a change: one that stays, comes or goes. */
export type Line = readonly [mark: " " | "+" | "-", text: string];

/** A change of a file, as the call of a tool tells it. */
export interface Edit {
  file: string;
  lines: readonly Line[];
  /** The file was written whole: nothing tells what stood there before. */
  whole?: true;
}

type Members = Record<string, unknown>;

const FILE = ["file_path", "filePath", "path", "notebook_path", "target_file"];
const OLD = ["old_string", "oldString", "old_str", "oldText", "old_text"];
const NEW = ["new_string", "newString", "new_str", "newText", "new_text", "new_source"];
const WHOLE = ["content", "file_text", "contents"];
const PATCH = ["input", "patch", "patchText", "command", "text"];

/** The changes within the arguments of a call, as they were recorded; none for a call that changes nothing. */
export function editsOf(args: string): Edit[] {
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

/** True for an edit of the file with a path below a folder. Where the folder is not known, the end of a full path has to do. */
export const isOfFile = ({ file }: Edit, path: string, folder = ""): boolean =>
  file === path || (folder ? file === `${folder}/${path}` : file.endsWith(`/${path}`));

function objectOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

/** The first of some members that is a text; of the words of a command, the last one. */
function textOf(input: Members, names: readonly string[]): string | undefined {
  for (const name of names) {
    const given = readOwn(input, name);
    const value = Array.isArray(given) ? given.at(-1) : given;
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** The lines that go and come; of those that both have at the beginning and the end, three beside them. */
function linesBetween(before: string, after: string): Line[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const marked = (mark: Line[0], lines: string[]): Line[] => lines.map((line) => [mark, line]);
  return [
    ...marked(" ", old.slice(Math.max(0, head - 3), head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", now.slice(head, now.length - tail)),
    ...marked(" ", old.slice(old.length - tail, old.length - tail + 3)),
  ];
}

/** The changes of a patch of `apply_patch`, a file each. */
function patchEdits(text: string): Edit[] {
  const edits: { file: string; lines: Line[] }[] = [];
  for (const line of text.slice(text.indexOf("*** Begin Patch")).split(/\r?\n/)) {
    if (line.startsWith("*** End Patch")) break;
    const file = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1];
    const moved = /^\*\*\* Move to: (.+)$/.exec(line)?.[1];
    const current = edits.at(-1);
    if (file) edits.push({ file: file.trim(), lines: [] });
    else if (current && moved) current.file = moved.trim();
    else if (current && /^[ +-]/.test(line)) current.lines.push([line[0] as Line[0], line.slice(1)]);
  }
  return edits;
}

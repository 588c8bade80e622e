import { getOwnProperty } from "../../../../formats/own.ts";
import type { FileChange } from "./action.ts";

/**
 * Maximum number of lines that are compared line by line, after equal lines at the beginning and at the end are
 * removed. If more lines remain, all remaining lines count as changed.
 */
const COMPARED = 400;

/** Returns the lines of a text. An empty text has no lines, and no empty line follows the last line break. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns the added lines and the number of removed lines between two texts. */
export function diffLines(before: string, after: string): { added: string[]; removed: number } {
  const [from, to] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const [old, added] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  if (old.length > COMPARED || added.length > COMPARED) return { added, removed: old.length };
  const kept = common(old, added);
  return { added: added.filter((_line, index) => !kept.has(index)), removed: old.length - kept.size };
}

/** Returns the positions in `now` of a longest common subsequence with `old`. */
function common(old: readonly string[], now: readonly string[]): Set<number> {
  const width = now.length + 1;
  const best = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      best[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const kept = new Set<number>();
  for (let [i, j] = [0, 0]; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      kept.add(j);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return kept;
}

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVED = /^\*\*\* Move to: (.+)$/;
const CHANGES = { Add: "create", Update: "edit", Delete: "delete" } as const;

/** Returns the changed files of an `apply_patch` patch. Empty for a text without a patch. */
export function parsePatchChanges(text: string): FileChange[] {
  const begin = text.indexOf("*** Begin Patch");
  if (begin < 0) return [];
  const changes: FileChange[] = [];
  for (const line of text.slice(begin).split(/\r?\n/)) {
    if (line.startsWith("*** End Patch")) break;
    const [, what, path] = HEADER.exec(line) ?? [];
    const current = changes.at(-1);
    const moved = MOVED.exec(line)?.[1];
    if (what && path)
      changes.push({
        kind: "file",
        path: path.trim(),
        change: getOwnProperty(CHANGES, what) ?? "edit",
        added: 0,
        removed: 0,
        lines: [],
      });
    else if (current && moved) Object.assign(current, { from: current.path, path: moved.trim(), change: "rename" });
    else if (current && line.startsWith("+")) {
      current.added += 1;
      current.lines.push(line.slice(1));
    } else if (current && line.startsWith("-")) current.removed += 1;
  }
  return changes;
}

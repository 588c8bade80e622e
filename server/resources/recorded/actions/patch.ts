import type { FileChange } from "./action.ts";

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVED = /^\*\*\* Move to: (.+)$/;
const CHANGES = { Add: "create", Update: "edit", Delete: "delete" } as const;

/** The changes of files in a patch of `apply_patch`. A text without one has none. */
export function patchChanges(text: string): FileChange[] {
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
        change: CHANGES[what as "Add"],
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

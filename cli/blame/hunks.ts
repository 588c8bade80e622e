/** Lines that a commit added one after another. */
export interface Block {
  /** The number of the first of them in the file, from 1. */
  from: number;
  lines: string[];
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The blocks of added lines in a diff without context (`-U0`). */
export function blocksIn(diff: string): Block[] {
  const rows = diff.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const [found, removed = "1", from, added = "1"] = HUNK.exec(rows[at] ?? "") ?? [];
    if (found === undefined) continue;
    const lines: string[] = [];
    let [minus, plus] = [Number(removed), Number(added)];
    while (minus + plus > 0 && at + 1 < rows.length) {
      at += 1;
      const row = rows[at] ?? "";
      if (row.startsWith("-")) minus -= 1;
      else if (row.startsWith("+")) {
        plus -= 1;
        lines.push(row.slice(1).replace(/\r$/, ""));
      }
    }
    if (lines.length > 0) blocks.push({ from: Number(from), lines });
  }
  return blocks;
}

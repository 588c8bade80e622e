import type { PlannedFileChange } from "./plan.ts";

/** Matches the first line of the settings for one hook event, in JSON or in TOML. */
const HEAD = /^(\s*)(?:"(\w+)": \[|\[\[hooks\.(\w+)\]\])$/;

const KEYS = /\b(trk_api_[0-9a-f]{4}|sk_[0-9a-f]{4})[0-9a-f]{16,}/g;

/** Masks keys. The visible beginning still identifies the key. */
const masked = (text: string): string => text.replace(KEYS, "$1…");

/**
 * Returns the removed and added lines of a file's change. With `whole`, every added line appears, so that the user can
 * paste the lines.
 */
export function formatChange({ path, before, after }: PlannedFileChange, whole: boolean): string {
  if (before === after) return `= ${path}\n`;
  const old = (before ?? "").split("\n");
  const now = after.split("\n");
  const [from, until] = countEqualLines(old, now);
  const marked = (text: readonly string[], mark: string) => {
    const lines = text.filter((line) => line.trim() !== "");
    return (whole ? lines : shortened(lines)).map((line) => `  ${mark} ${line}`);
  };
  const lines = [
    ...marked(old.slice(from, old.length - until), "-"),
    ...marked(now.slice(from, now.length - until), "+"),
  ];
  const title = before === undefined ? `+ ${path} (new, mode 0600)` : `~ ${path}`;
  return masked(`${[title, ...lines].join("\n")}\n`);
}

interface Block {
  /** Name of the event. */
  name: string;
  lines: string[];
}

/**
 * Shortens settings that repeat for each event: the first event appears in full, followed by the names of the other
 * events. The result is for reading, not for pasting.
 */
function shortened(lines: readonly string[]): string[] {
  const known = new Map<string, { first: string; others: string[]; at: number }>();
  const short: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at) ?? { name: "", lines: [lines[at] ?? ""] };
    at += block.lines.length;
    const same = block.name === "" ? undefined : known.get(shapeOf(block));
    if (same) same.others.push(block.name);
    else {
      short.push(...block.lines);
      if (block.name !== "") known.set(shapeOf(block), { first: block.name, others: [], at: short.length });
    }
  }
  for (const { first, others, at } of [...known.values()].reverse())
    if (others.length > 0) short.splice(at, 0, `… the same as ${first} for ${others.join(", ")} (--dry-run shows all)`);
  return short;
}

function blockAt(lines: readonly string[], at: number): Block | undefined {
  const [, indent = "", member, table] = HEAD.exec(lines[at] ?? "") ?? [];
  const name = member ?? table;
  if (name === undefined) return undefined;
  const isEnd = (line: string) =>
    member === undefined ? line.startsWith("[") && !line.startsWith(`[[hooks.${name}.`) : line.startsWith(`${indent}]`);
  const end = lines.findIndex((line, place) => place > at && isEnd(line));
  if (member !== undefined) return end < 0 ? undefined : { name, lines: lines.slice(at, end + 1) };
  return { name, lines: lines.slice(at, end < 0 ? lines.length : end) };
}

/**
 * Returns the text of a block with the event's name replaced by `*`, so that the settings of two events can be
 * compared. Removes the comma at the end, because the last element of a list has no comma.
 */
const shapeOf = ({ name, lines }: Block): string => lines.join("\n").replaceAll(name, "*").replace(/,$/, "");

/**
 * Compares two texts. Returns the number of equal lines at the beginning, and the number of equal lines at the end of
 * the remaining lines.
 */
function countEqualLines(old: string[], now: string[]): [number, number] {
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) from++;
  let until = 0;
  while (until < most - from && old.at(-1 - until) === now.at(-1 - until)) until++;
  return [from, until];
}

import type { Change } from "./plan.ts";
import { shortened } from "./shorten.ts";

const KEYS = /\b(trk_api_[0-9a-f]{4}|sk_[0-9a-f]{4})[0-9a-f]{16,}/g;

/** A text with its keys unreadable: what is left tells which key it is. */
export const masked = (text: string): string => text.replace(KEYS, "$1…");

/** The change of a file, line by line: what is added and what goes. `whole` prints it to the letter, to paste. */
export function show({ path, before, after }: Change, whole: boolean): string {
  if (before === after) return `= ${path}\n`;
  const old = (before ?? "").split("\n");
  const now = after.split("\n");
  const [from, until] = same(old, now);
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

/** The number of lines two texts share at their beginnings, and after those at their ends. */
function same(old: string[], now: string[]): [number, number] {
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) from++;
  let until = 0;
  while (until < most - from && old.at(-1 - until) === now.at(-1 - until)) until++;
  return [from, until];
}

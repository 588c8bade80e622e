import type { Change } from "./plan.ts";

const KEYS = /\b(trk_api_[0-9a-f]{4}|sk_[0-9a-f]{4})[0-9a-f]{16,}/g;

/** A text with its keys unreadable: what is left tells which key it is. */
export const masked = (text: string): string => text.replace(KEYS, "$1…");

/** What a change does to a file, line by line: what is added and what goes. */
export function show({ path, before, after }: Change): string {
  if (before === after) return `= ${path}\n`;
  const old = (before ?? "").split("\n");
  const now = after.split("\n");
  const [from, until] = same(old, now);
  const lines = [
    ...old.slice(from, old.length - until).map((line) => `  - ${line}`),
    ...now.slice(from, now.length - until).map((line) => `  + ${line}`),
  ].filter((line) => line.trim().length > 1);
  const title = before === undefined ? `+ ${path} (new, mode 0600)` : `~ ${path}`;
  return masked(`${[title, ...lines].join("\n")}\n`);
}

/** How many lines two texts share at their beginnings, and after those at their ends. */
function same(old: string[], now: string[]): [number, number] {
  const most = Math.min(old.length, now.length);
  let from = 0;
  while (from < most && old[from] === now[from]) from++;
  let until = 0;
  while (until < most - from && old.at(-1 - until) === now.at(-1 - until)) until++;
  return [from, until];
}

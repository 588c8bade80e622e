import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { readIfThere, writeWhole } from "../files/whole-file.ts";
import { print } from "../output/print.ts";
import { askYes } from "../prompt.ts";
import { show } from "./changes/show.ts";
import { packageFolder } from "./parts/tools.ts";

const BEGIN = "<!-- trackway: begin. Written by trackway connect --agents-md -->";
const END = "<!-- trackway: end -->";
/** The rights of a new file: it is meant to be read, and committed. */
const MODE = 0o644;

/** Options of writing the section. */
export interface AgentsMdOptions {
  dryRun?: boolean;
  remove?: boolean;
  yes?: boolean;
}

/**
 * Puts the section about Trackway into an AGENTS.md, brings it up to date, or takes it out. The rest of the file stays as it
 * is; shows the change first, and asks.
 * @throws Failure for a file whose marks are no pair
 */
export async function writeAgentsMd(path: string, { dryRun, remove, yes }: AgentsMdOptions): Promise<void> {
  const before = await readIfThere(path);
  const after = remove ? withoutSection(before ?? "", path) : withSection(before ?? "", path);
  if (after === (before ?? "")) return print(`${path} needs no change.`);
  print(show({ path, before, after, mode: MODE, bare: null, known: undefined }, dryRun === true));
  if (dryRun) return print("Nothing was written (--dry-run).");
  if (!yes && !(await askYes("Write this?", "the same command with --yes"))) throw new Failure("Nothing was written.");
  if (after === "") await rm(path);
  else await writeWhole(path, after, before === undefined ? MODE : undefined);
}

/** A text with the section as it is today: at its place, or at the end. */
function withSection(text: string, path: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const section = [BEGIN, ...skill().split("\n"), END].join(newline);
  const place = placeIn(text, path);
  if (place) return text.slice(0, place.from) + section + text.slice(place.to);
  if (text === "") return `${section}\n`;
  return `${text}${text.endsWith("\n") ? "" : newline}${newline}${section}${newline}`;
}

/** A text without the section, and without the empty line before it. */
function withoutSection(text: string, path: string): string {
  const place = placeIn(text, path);
  if (!place) return text;
  const [head, tail] = [text.slice(0, place.from), text.slice(place.to)];
  return head.replace(/(\r?\n)\r?\n$/, "$1") + tail.replace(/^\r?\n/, "");
}

/** The place of the section with its marks. @throws Failure where they are no pair */
function placeIn(text: string, path: string): { from: number; to: number } | undefined {
  const [from, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 && end < 0) return undefined;
  const isPair = from >= 0 && end > from && from === text.lastIndexOf(BEGIN) && end === text.lastIndexOf(END);
  if (isPair) return { from, to: end + END.length };
  throw new Failure(`${path} has marks of Trackway's section that are no pair.`, {
    cure: `leave one line "${BEGIN}" and, below it, one "${END}"`,
  });
}

/** The text of the skill without what only a skill has. */
const skill = (): string =>
  readFileSync(join(packageFolder(), "plugins", "trackway", "skills", "trackway", "SKILL.md"), "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .trim();

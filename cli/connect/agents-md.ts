import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { NamedBy } from "../../system/whole-file.ts";
import { CommandFailure } from "../failure.ts";
import { readFileIfExists, writeSettingsFile } from "../files/whole-file.ts";
import { printLines } from "../output/print.ts";
import { askConfirmation } from "../prompt.ts";
import { formatChange } from "./changes/show.ts";
import { getPackageFolder } from "./parts/tools.ts";

const BEGIN = "<!-- trackway: begin. Written by trackway connect --agents-md -->";
const END = "<!-- trackway: end -->";
/** Mode of a new file. Everybody may read the file, because it is meant to be committed. */
const MODE = 0o644;

export interface AgentsMdOptions {
  dryRun?: boolean;
  remove?: boolean;
  yes?: boolean;
  /** Set to "user" if the user named the path on the command line. */
  namedBy?: NamedBy;
}

/**
 * Adds, updates or removes the section about Trackway in an AGENTS.md. Shows the change and asks for confirmation
 * first. The rest of the file stays unchanged.
 * @throws CommandFailure for a file in which the begin and end lines of the section do not match
 */
export async function updateAgentsMdSection(
  path: string,
  { dryRun, remove, yes, namedBy = "program" }: AgentsMdOptions,
): Promise<void> {
  const before = await readFileIfExists(path);
  const after = remove ? withoutSection(before ?? "", path) : withSection(before ?? "", path);
  if (after === (before ?? "")) return printLines(`${path} is up to date.`);
  printLines(formatChange({ path, before, after, mode: MODE, bare: null, known: undefined }, dryRun === true));
  if (dryRun) return printLines("No changes were written (--dry-run).");
  if (!yes && !(await askConfirmation("Write these changes?", "run the command again with --yes")))
    throw new CommandFailure("No changes were written.");
  if (after === "") await rm(path);
  else await writeSettingsFile(path, after, before === undefined ? MODE : undefined, namedBy);
}

/** Returns the text with the current section, in the place of the old section or at the end. */
function withSection(text: string, path: string): string {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const section = [BEGIN, ...skill().split("\n"), END].join(newline);
  const place = placeIn(text, path);
  if (place) return text.slice(0, place.from) + section + text.slice(place.to);
  if (text === "") return `${section}\n`;
  return `${text}${text.endsWith("\n") ? "" : newline}${newline}${section}${newline}`;
}

/** Returns the text without the section and without the empty line before the section. */
function withoutSection(text: string, path: string): string {
  const place = placeIn(text, path);
  if (!place) return text;
  const [head, tail] = [text.slice(0, place.from), text.slice(place.to)];
  return head.replace(/(\r?\n)\r?\n$/, "$1") + tail.replace(/^\r?\n/, "");
}

/**
 * Returns the position of the section, including its begin and end lines. @throws CommandFailure if the begin and end lines do
 * not match
 */
function placeIn(text: string, path: string): { from: number; to: number } | undefined {
  const [from, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 && end < 0) return undefined;
  const isPair = from >= 0 && end > from && from === text.lastIndexOf(BEGIN) && end === text.lastIndexOf(END);
  if (isPair) return { from, to: end + END.length };
  throw new CommandFailure(`${path} has an incomplete Trackway section: the begin and end lines do not match.`, {
    cure: `keep exactly one line "${BEGIN}" and below it one line "${END}"`,
  });
}

/** Returns the text of the skill without its front matter. */
const skill = (): string =>
  readFileSync(join(getPackageFolder(), "plugins", "trackway", "skills", "trackway", "SKILL.md"), "utf8")
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .trim();

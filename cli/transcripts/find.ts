import { opendir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { readOwn } from "../../formats/own.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere } from "../files/whole-file.ts";
import { edgesOf } from "./lines.ts";
import { SOURCES, type Source } from "./sources.ts";

/** A file in which an agent keeps a session. */
export interface Found {
  source: Source;
  path: string;
  size: number;
  /** When it was written last, epoch ms. */
  written: number;
  /** Tells a file from another that takes its name later. */
  inode: number;
}

/** The files to look for. */
export interface Wanted {
  /** A file or folder; without one each agent's own folders. */
  path: string | undefined;
  agents: readonly string[];
  /** Files that were not written since are left out, epoch ms. */
  since: number | undefined;
}

/** The files of agents, those that were written first before others. @throws Failure for a path that is not there */
export async function findFiles(places: Places, { path, agents, since = 0 }: Wanted): Promise<Found[]> {
  const sources = SOURCES.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const found = path === undefined ? await inOwnFolders(places, sources, since) : await under(resolve(path), sources);
  return found
    .filter(({ written }) => written >= since)
    .sort((a, b) => a.written - b.written || (a.path < b.path ? -1 : 1));
}

async function inOwnFolders(places: Places, sources: readonly Source[], since: number): Promise<Found[]> {
  const found: Found[] = [];
  for (const source of sources) {
    await source.export?.(places, since);
    for (const folder of source.folders(places))
      for await (const path of filesUnder(folder)) if (source.file.test(path)) found.push(await fileOf(source, path));
  }
  return found;
}

/** The file at a path, or those in the folder: there each is known by its beginning. */
async function under(path: string, sources: readonly Source[]): Promise<Found[]> {
  const there = await stat(path).catch(() => undefined);
  if (!there) throw new Failure(`There is no ${path} that can be read.`, { exit: EXIT.notFound, cure: "another path" });
  const found: Found[] = [];
  const paths = there.isDirectory() ? filesUnder(path) : [path];
  for await (const each of paths) {
    const source = /\.jsonl?$/.test(each) ? await sourceOf(each, sources) : undefined;
    if (source) found.push(await fileOf(source, each));
  }
  if (found.length === 0 && !there.isDirectory())
    throw new Failure(`${path} is no file of an agent that is known.`, {
      exit: EXIT.usage,
      cure: SOURCES.map(({ name }) => name).join(", "),
    });
  return found;
}

/** Bytes of a file's beginning that tell whose it is. */
const BEGINNING = 64 * 1024;

async function sourceOf(path: string, sources: readonly Source[]): Promise<Source | undefined> {
  const { head } = await edgesOf(path, BEGINNING);
  return sources.find(({ begins }) => begins.test(head));
}

async function fileOf(source: Source, path: string): Promise<Found> {
  const { size, mtimeMs, ino } = await stat(path);
  return { source, path, size, written: mtimeMs, inode: ino };
}

/** Folders are nested no deeper than this. */
const LEVELS = 12;

/** Files below a folder. Links are not followed; a folder that is not there has none. */
async function* filesUnder(folder: string, levels = LEVELS): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && levels > 0) yield* filesUnder(path, levels - 1);
  }
}

/** The folder in which a session ran, where a file beside says it: Gemini CLI writes it nowhere else. */
export const folderOf = async ({ source, path }: Found): Promise<string | undefined> =>
  source.name === "gemini-cli"
    ? (await readIfThere(join(path.replace(/\/chats\/.*$/, ""), ".project_root")))?.trim()
    : undefined;

/** The folders that are named after the session whose subagents' files lie in them. */
const NAMED: Readonly<Record<string, RegExp>> = {
  "gemini-cli": /\/chats\/([\da-f-]{36})\/[^/]*$/,
  opencode: /\/imports\/opencode\/(ses_\w+)\/[^/]*$/,
};

/** The session of a subagent's file, where the folder alone says it. */
export const sessionOf = ({ source, path }: Found): string | undefined => readOwn(NAMED, source.name)?.exec(path)?.[1];

import { opendir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { removeByteOrderMark } from "../../formats/json.ts";
import { readOwn } from "../../formats/own.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readFileIfExists } from "../files/whole-file.ts";
import { readFileHead } from "./lines.ts";
import { SESSION_SOURCES, type SessionSource } from "./sources.ts";
import { isPacked } from "./zstd.ts";

/** A file in which an agent stores a session. */
export interface SessionFile {
  source: SessionSource;
  path: string;
  size: number;
  /** Time of the last write, in ms since 1970. */
  written: number;
  /** Distinguishes the file from a later file with the same path. */
  inode: number;
}

export interface FileSelection {
  /** A file or folder. Without a path, the agents' own folders are searched. */
  path: string | undefined;
  agents: readonly string[];
  /** Omits files that were not written since this time, in ms since 1970. */
  since: number | undefined;
}

/** A file that the import skips, and the reason. */
export interface Skipped {
  file: string;
  reason: string;
}

/** The files to import, and the skipped files. */
export interface Search {
  found: SessionFile[];
  skipped: Skipped[];
}

/** Finds session files of agents, ordered by the time of the last write. @throws Failure if the path does not exist */
export async function findSessionFiles(places: Places, { path, agents, since = 0 }: FileSelection): Promise<Search> {
  const sources = SESSION_SOURCES.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const search: Search = { found: [], skipped: [] };
  if (path === undefined) await searchOwnFolders(places, sources, since, search);
  else await searchUnder(resolve(path), sources, search);
  search.found = search.found
    .filter(({ written }) => written >= since)
    .sort((a, b) => a.written - b.written || (a.path < b.path ? -1 : 1));
  return search;
}

const UNKNOWN = "has a format that is not known";

async function searchOwnFolders(places: Places, sources: readonly SessionSource[], since: number, search: Search) {
  for (const source of sources) {
    await source.export?.(places, since);
    for (const folder of source.folders(places))
      for await (const file of filesUnder(folder)) await addSessionFile(source, file, search);
  }
}

/**
 * Adds a file of an agent's own folder. An unreadable file is added too, because the import reports the reason. A link may
 * lead to any file, so the target must begin like a session.
 */
async function addSessionFile(source: SessionSource, { path, isLinked }: Entry, { found, skipped }: Search) {
  if (source.others?.test(path)) skipped.push({ file: path, reason: UNKNOWN });
  if (!source.file.test(path)) return;
  const isStrict = isLinked || isPacked(path);
  const text = (await readBeginning(path, isStrict ? BEGINNING : SHORT_BEGINNING).catch(() => "")).trimStart();
  if (text === "" || (isStrict ? source.begins.test(text) : text.startsWith("{")))
    found.push(await toSessionFile(source, path));
  else skipped.push({ file: path, reason: UNKNOWN });
}

/** Finds the file at a path, or the session files in a folder. The beginning of each file identifies its agent. */
async function searchUnder(path: string, sources: readonly SessionSource[], { found }: Search): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (!there) throw new Failure(`Cannot read ${path}.`, { exit: EXIT.notFound, cure: "give another path" });
  const paths = there.isDirectory() ? filesUnder(path) : [{ path, isLinked: false }];
  for await (const { path: each } of paths) {
    const source = /\.jsonl?(?:\.zst)?$/.test(each) ? await findSource(each, sources) : undefined;
    if (source) found.push(await toSessionFile(source, each));
  }
  if (found.length === 0 && !there.isDirectory())
    throw new Failure(`${path} is not a session file of a supported agent.`, {
      exit: EXIT.usage,
      cure: SESSION_SOURCES.map(({ name }) => name).join(", "),
    });
}

/** Bytes at the beginning of a file that identify its agent, or that show whether the file is JSON. */
const [BEGINNING, SHORT_BEGINNING] = [64 * 1024, 1024];

const readBeginning = async (path: string, bytes: number): Promise<string> =>
  removeByteOrderMark(await readFileHead(path, bytes));

async function findSource(path: string, sources: readonly SessionSource[]): Promise<SessionSource | undefined> {
  const text = await readBeginning(path, BEGINNING);
  return sources.find(({ begins }) => begins.test(text));
}

async function toSessionFile(source: SessionSource, path: string): Promise<SessionFile> {
  const { size, mtimeMs, ino } = await stat(path);
  return { source, path, size, written: mtimeMs, inode: ino };
}

/** Maximum depth of nested folders. */
const LEVELS = 12;

/** A file below a folder. */
interface Entry {
  path: string;
  /** True if a link leads to the file, or to a folder around the file. */
  isLinked: boolean;
}

/**
 * Returns files below a folder. Follows links to folders and files, and returns each target once, so that loops end. Returns
 * nothing if the folder does not exist.
 */
async function* filesUnder(
  folder: string,
  { levels = LEVELS, isLinked = false, seen = new Set<string>() } = {},
): AsyncGenerator<Entry> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || seen.has(real)) return;
  seen.add(real);
  const entries = await opendir(folder).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    const isLink = entry.isSymbolicLink();
    const target = isLink ? await stat(path).catch(() => undefined) : entry;
    const below = { levels: levels - 1, isLinked: isLinked || isLink, seen };
    if (target?.isFile() && (!below.isLinked || (await isNew(path, seen)))) yield { path, isLinked: below.isLinked };
    else if (target?.isDirectory() && levels > 0) yield* filesUnder(path, below);
  }
}

/** Returns true if no earlier path led to the same file. */
async function isNew(path: string, seen: Set<string>): Promise<boolean> {
  const real = await realpath(path).catch(() => path);
  if (seen.has(real)) return false;
  seen.add(real);
  return true;
}

/**
 * Returns the folder in which a session ran, if a neighboring file contains it. Gemini CLI stores the folder only
 * there.
 */
export const readSessionFolder = async ({ source, path }: SessionFile): Promise<string | undefined> =>
  source.name === "gemini-cli" && path.includes("/chats/")
    ? (await readFileIfExists(join(path.replace(/\/chats\/.*$/, ""), ".project_root")))?.trim()
    : undefined;

/** Folders that are named after a session and contain the files of its subagents. */
const NAMED: Readonly<Record<string, RegExp>> = {
  "gemini-cli": /\/chats\/([\da-f-]{36})\/[^/]*$/,
  opencode: /\/imports\/opencode\/(ses_\w+)\/[^/]*$/,
};

/** Returns the session of a subagent's file if only the folder's name contains the session id. */
export const readParentSession = ({ source, path }: SessionFile): string | undefined =>
  readOwn(NAMED, source.name)?.exec(path)?.[1];

import { opendir, realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { removeByteOrderMark } from "../../formats/json.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { UserEnvironment } from "../files/places.ts";
import { readFileIfExists } from "../files/whole-file.ts";
import { readFileHead } from "./lines.ts";
import { SESSION_SOURCES, type SessionSource } from "./sources.ts";
import { isZstdFile } from "./zstd.ts";

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
export interface SkippedFile {
  file: string;
  reason: string;
}

/** The files to import, and the skipped files. */
export interface SessionFileSearchResult {
  found: SessionFile[];
  skipped: SkippedFile[];
}

/** Finds session files of agents, ordered by the time of the last write. @throws CommandFailure if the path does not exist */
export async function findSessionFiles(
  places: UserEnvironment,
  { path, agents, since = 0 }: FileSelection,
): Promise<SessionFileSearchResult> {
  const sources = SESSION_SOURCES.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const search: SessionFileSearchResult = { found: [], skipped: [] };
  if (path === undefined) await searchOwnFolders(places, sources, since, search);
  else await searchUnder(resolve(path), sources, search);
  search.found = search.found
    .filter(({ written }) => written >= since)
    .sort((a, b) => a.written - b.written || (a.path < b.path ? -1 : 1));
  return search;
}

const UNKNOWN = "has a format that is not known";

async function searchOwnFolders(
  places: UserEnvironment,
  sources: readonly SessionSource[],
  since: number,
  search: SessionFileSearchResult,
) {
  for (const source of sources) {
    await source.export?.(places, since);
    for (const folder of source.folders(places))
      for await (const file of filesUnder(folder)) await addSessionFile(source, file, search);
  }
}

/**
 * Adds a file from an agent's own folder to the search result, if the file looks like a session. A symbolic link may
 * point to any file, so its target must begin exactly like a session of this agent. An unreadable file is added too,
 * because the import reports why the file is unreadable.
 */
async function addSessionFile(
  source: SessionSource,
  { path, isLinked }: Entry,
  { found, skipped }: SessionFileSearchResult,
) {
  if (source.others?.test(path)) skipped.push({ file: path, reason: UNKNOWN });
  if (!source.file.test(path)) return;
  const isStrict = isLinked || isZstdFile(path);
  const text = (await readBeginning(path, isStrict ? BEGINNING : SHORT_BEGINNING).catch(() => "")).trimStart();
  if (text === "" || (isStrict ? source.begins.test(text) : text.startsWith("{")))
    found.push(await toSessionFile(source, path));
  else skipped.push({ file: path, reason: UNKNOWN });
}

/**
 * Finds the file at a path, or the session files in a folder. The beginning of each file identifies the agent of the
 * session.
 */
async function searchUnder(
  path: string,
  sources: readonly SessionSource[],
  { found }: SessionFileSearchResult,
): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (!there)
    throw new CommandFailure(`Cannot read ${path}.`, { exit: EXIT_CODES.notFound, cure: "give another path" });
  const paths = there.isDirectory() ? filesUnder(path) : [{ path, isLinked: false }];
  for await (const { path: each } of paths) {
    const source = /\.jsonl?(?:\.zst)?$/.test(each) ? await findSource(each, sources) : undefined;
    if (source) found.push(await toSessionFile(source, each));
  }
  if (found.length === 0 && !there.isDirectory())
    throw new CommandFailure(`${path} is not a session file of a supported agent.`, {
      exit: EXIT_CODES.usage,
      cure: SESSION_SOURCES.map(({ name }) => name).join(", "),
    });
}

/**
 * Number of bytes that are read from the beginning of a file. BEGINNING is enough to identify the agent.
 * SHORT_BEGINNING is enough to check whether the file is JSON.
 */
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
 * Returns the folder in which a session ran. Gemini CLI stores this folder only in a separate file near the session
 * file. Returns undefined for other agents.
 */
export const readSessionWorkingFolder = async ({ source, path }: SessionFile): Promise<string | undefined> =>
  source.name === "gemini-cli" && path.includes("/chats/")
    ? (await readFileIfExists(join(path.replace(/\/chats\/.*$/, ""), ".project_root")))?.trim()
    : undefined;

/**
 * Matches the paths of files in a folder that is named after a session. A folder that is named after a session contains
 * the files of the session's subagents.
 */
const NAMED: Readonly<Record<string, RegExp>> = {
  "gemini-cli": /\/chats\/([\da-f-]{36})\/[^/]*$/,
  opencode: /\/imports\/opencode\/(ses_\w+)\/[^/]*$/,
};

/**
 * Returns the id of the session to which a subagent's file belongs, if only the name of the folder contains this id.
 */
export const parseParentSessionId = ({ source, path }: SessionFile): string | undefined =>
  getOwnProperty(NAMED, source.name)?.exec(path)?.[1];

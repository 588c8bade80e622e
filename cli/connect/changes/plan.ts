import { createHash } from "node:crypto";
import { chmod, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readOwn } from "../../../formats/own.ts";
import { Failure } from "../../failure.ts";
import type { Places } from "../../files/places.ts";
import { modeOf, PRIVATE, readIfThere, targetOf, writePrivate, writeWhole } from "../../files/whole-file.ts";
import { type Agent, type AgentFile, type Connection, ownPaths } from "../agent.ts";

/** A file of the agent's without anything of ours; null where there was none. */
type Before = { text: string; mode: number } | null;

/** The record of one file of the agent's. */
interface FileRecord {
  /** Digest of the text that we wrote last. While the file still has it, what was before is all there was besides. */
  written: string;
  /** The rights that we left it. */
  mode: number;
  before: Before;
  /** Folders that were made for it, the innermost first. */
  folders: string[];
}

/** The record of a connected agent, for whoever takes it back. */
export interface ConnectionRecord {
  url: string;
  organization?: string;
  /** Ids of the keys that were made for it. */
  ingestKeyId?: string;
  apiKeyId?: string;
  /** True if a hook stops it at a limit. */
  fuse?: true;
  files: Record<string, FileRecord>;
}

/** The record of an agent, if it is connected. */
export async function readRecord(places: Places, agent: string): Promise<ConnectionRecord | undefined> {
  const text = await readIfThere(ownPaths(places, agent).record);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as ConnectionRecord;
  } catch {
    return undefined;
  }
}

/** Keeps it. */
export const writeRecord = (places: Places, agent: string, record: ConnectionRecord): Promise<unknown> =>
  writePrivate(ownPaths(places, agent).record, `${JSON.stringify(record, null, 2)}\n`);

/** A text's fingerprint. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The planned change of one file. `before` is undefined where there is none. */
export interface Change {
  path: string;
  before: string | undefined;
  after: string;
  /** The rights it is to have. */
  mode: number;
  /** The file without anything of ours. */
  bare: Before;
  known: FileRecord | undefined;
}

/** The changes that connecting would make. */
interface Plan {
  own: Change[];
  files: Change[];
}

/**
 * The files connecting would write, ours first, since the agent's files point to them. Nothing is written yet, so that
 * a file that cannot be read or written stops all of it.
 */
export async function planChanges(agent: Agent, connection: Connection): Promise<Plan> {
  const record = await readRecord(connection.places, agent.name);
  const own = agent.own(connection).map(async ({ path, text }): Promise<Change> => {
    const before = await readIfThere(path);
    return { path, before, after: text, mode: PRIVATE, bare: null, known: undefined };
  });
  const files = agent.files(connection).map((file) => planFile(file, connection, readOwn(record?.files, file.path)));
  const planned = { own: await Promise.all(own), files: await Promise.all(files) };
  return { own: planned.own, files: planned.files.filter(({ before, after }) => before !== undefined || after !== "") };
}

async function planFile(
  file: AgentFile,
  { ingestKey, apiKey }: Connection,
  known: FileRecord | undefined,
): Promise<Change> {
  const { path } = file;
  const [text, mode = PRIVATE] = [await readIfThere(path), await modeOf(path)];
  const bare = bareOf(file, { text, mode }, known);
  const there = bare?.text ?? "";
  const wanted = file.add(there);
  const after = text !== undefined && file.has(text, there) ? text : wanted;
  if (after !== text) refuseReadOnly(path, text === undefined ? undefined : mode);
  const holdsKey = [ingestKey, apiKey].some((key) => key !== "" && after.includes(key));
  return { path, before: text, after, mode: holdsKey ? PRIVATE : (bare?.mode ?? mode), bare, known };
}

/** A file without anything of ours. One that is as we left it was what is known; any other is what is left without ours. */
function bareOf(
  { remove }: Pick<AgentFile, "remove">,
  { text, mode }: { text: string | undefined; mode: number },
  known: FileRecord | undefined,
): Before {
  if (text === undefined) return null;
  const rights = known && mode === known.mode ? (known.before?.mode ?? mode) : mode;
  if (known && digest(text) === known.written) return known.before && { text: known.before.text, mode: rights };
  const bare = remove(text, known && (known.before?.text ?? ""));
  return known?.before === null && /^\s*(\{\s*\})?\s*$/.test(bare) ? null : { text: bare, mode: rights };
}

/** @throws Failure for a file that its owner protects from being written */
function refuseReadOnly(path: string, mode: number | undefined): void {
  if (mode === undefined || (mode & 0o200) !== 0) return;
  throw new Failure(`${path} is read-only; nothing was written.`, {
    cure: `chmod u+w '${path}', then the same command again`,
  });
}

/** True if it is all there already. */
export const isDone = (changes: readonly Change[]): boolean => changes.every(({ before, after }) => before === after);

/** The agent's files without ours, by path. */
export const textsOf = (changes: readonly Change[]): Map<string, string> =>
  new Map(changes.map(({ path, bare }) => [path, bare?.text ?? ""]));

/** Writes what was planned. Answers what to keep about the files. */
export async function applyChanges({ own, files }: Plan): Promise<Record<string, FileRecord>> {
  for (const { path, after } of own) await writePrivate(path, after);
  const records: Record<string, FileRecord> = {};
  for (const change of files) {
    // A file that gets nothing of ours is none of our business.
    if (change.after === (change.bare?.text ?? "")) continue;
    records[change.path] = await applyToFile(change);
  }
  return records;
}

async function applyToFile({ path, before, after, mode, bare, known }: Change): Promise<FileRecord> {
  const folders = known?.folders ?? [];
  if (before !== after) folders.push(...foldersUpTo(await writeWhole(path, after, mode), await targetOf(path)));
  else if ((await modeOf(path)) !== mode) await chmod(path, mode);
  return { written: digest(after), mode, before: bare, folders };
}

/** The folders from that of a file up to the first that was made. */
function foldersUpTo(made: string | undefined, path: string): string[] {
  const folders: string[] = [];
  if (made === undefined) return folders;
  for (let folder = dirname(path); folder.length >= made.length; folder = dirname(folder)) folders.push(folder);
  return folders;
}

/** Takes a file back to what was there besides. Answers whether there was anything to take back. */
export async function restoreFile(file: AgentFile, known: FileRecord | undefined): Promise<boolean> {
  const { path } = file;
  const [text, mode = PRIVATE] = [await readIfThere(path), await modeOf(path)];
  if (text === undefined) return false;
  const bare = bareOf(file, { text, mode }, known);
  const changed = bare?.text !== text;
  if (changed) refuseReadOnly(path, mode);
  if (bare === null) await rm(await targetOf(path));
  else if (changed) await writeWhole(path, bare.text, bare.mode);
  else if (bare.mode !== mode) await chmod(path, bare.mode);
  return changed;
}

/** Removes the folders that were made for files. One that holds something else by now stays. */
export async function removeFolders(files: Record<string, FileRecord>): Promise<void> {
  const folders = new Set(Object.values(files).flatMap((file) => file.folders));
  const inmostFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const folder of inmostFirst) await rmdir(folder).catch(() => {});
}

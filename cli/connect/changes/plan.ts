import { createHash } from "node:crypto";
import { chmod, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseJsonFile } from "../../../formats/json.ts";
import { getOwnProperty } from "../../../formats/own.ts";
import { CommandFailure } from "../../failure.ts";
import type { UserEnvironment } from "../../files/places.ts";
import {
  PRIVATE_MODE,
  readFileIfExists,
  readMode,
  resolveSettingsLink,
  writePrivateFile,
  writeSettingsFile,
} from "../../files/whole-file.ts";
import { type Agent, type AgentConfigFile, type AgentConnection, getAgentPaths } from "../agent.ts";

/**
 * Content and mode of an agent's file without Trackway's settings. Null if the file did not exist before Trackway
 * created the file.
 */
type Before = { text: string; mode: number } | null;

/** Record of the changes to one file of an agent. */
interface FileRecord {
  /**
   * Digest of the text that this command last wrote. While the file still has this digest, nobody else has changed the
   * file, so `before` is exactly the content to restore.
   */
  written: string;
  /** File mode after the change. */
  mode: number;
  before: Before;
  /** Folders that were created for the file, innermost first. */
  folders: string[];
}

/** Record of a connected agent, with the data that is needed to disconnect the agent. */
export interface ConnectionRecord {
  url: string;
  organization?: string;
  /** `ingestKeyId` and `apiKeyId` are the ids of the keys that were created for the agent. */
  ingestKeyId?: string;
  apiKeyId?: string;
  /** True if a hook stops the agent at a limit. */
  fuse?: true;
  files: Record<string, FileRecord>;
}

/** Reads the record of an agent. Returns undefined if the agent is not connected or the record is unreadable. */
export async function readConnectionRecord(
  places: UserEnvironment,
  agent: string,
): Promise<ConnectionRecord | undefined> {
  const text = await readFileIfExists(getAgentPaths(places, agent).record);
  if (text === undefined) return undefined;
  try {
    return parseJsonFile(text) as ConnectionRecord;
  } catch {
    return undefined;
  }
}

export const writeConnectionRecord = (
  places: UserEnvironment,
  agent: string,
  record: ConnectionRecord,
): Promise<unknown> => writePrivateFile(getAgentPaths(places, agent).record, `${JSON.stringify(record, null, 2)}\n`);

export const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Planned change of one file. `before` is undefined if the file does not exist. */
export interface PlannedFileChange {
  path: string;
  before: string | undefined;
  after: string;
  /** File mode after the change. */
  mode: number;
  /** The file without Trackway's parts. */
  bare: Before;
  known: FileRecord | undefined;
}

interface Plan {
  own: PlannedFileChange[];
  files: PlannedFileChange[];
}

/**
 * Plans all file changes for connecting an agent, and writes nothing. If one file is unreadable or read-only, the
 * command ends before any change. Trackway's own files come first, because the agent's files refer to them.
 */
export async function planChanges(agent: Agent, connection: AgentConnection): Promise<Plan> {
  const record = await readConnectionRecord(connection.places, agent.name);
  const own = agent.own(connection).map(async ({ path, text }): Promise<PlannedFileChange> => {
    const before = await readFileIfExists(path);
    return { path, before, after: text, mode: PRIVATE_MODE, bare: null, known: undefined };
  });
  const files = agent
    .files(connection)
    .map((file) => planFile(file, connection, getOwnProperty(record?.files, file.path)));
  const planned = { own: await Promise.all(own), files: await Promise.all(files) };
  return { own: planned.own, files: planned.files.filter(({ before, after }) => before !== undefined || after !== "") };
}

async function planFile(
  file: AgentConfigFile,
  { ingestKey, apiKey }: AgentConnection,
  known: FileRecord | undefined,
): Promise<PlannedFileChange> {
  const { path } = file;
  const [text, mode = PRIVATE_MODE] = [await readFileIfExists(path), await readMode(path)];
  const bare = bareOf(file, { text, mode }, known);
  const there = bare?.text ?? "";
  const wanted = file.add(there);
  const after = text !== undefined && file.has(text, there) ? text : wanted;
  if (after !== text) refuseReadOnly(path, text === undefined ? undefined : mode);
  const holdsKey = [ingestKey, apiKey].some((key) => key !== "" && after.includes(key));
  return { path, before: text, after, mode: holdsKey ? PRIVATE_MODE : (bare?.mode ?? mode), bare, known };
}

/**
 * Returns the content of a file without Trackway's settings. If nobody has changed the file since this command last
 * wrote the file, returns the recorded original. Otherwise removes Trackway's settings from the current content.
 */
function bareOf(
  { remove }: Pick<AgentConfigFile, "remove">,
  { text, mode }: { text: string | undefined; mode: number },
  known: FileRecord | undefined,
): Before {
  if (text === undefined) return null;
  const rights = known && mode === known.mode ? (known.before?.mode ?? mode) : mode;
  if (known && hashText(text) === known.written) return known.before && { text: known.before.text, mode: rights };
  const bare = remove(text, known && (known.before?.text ?? ""));
  return known?.before === null && /^\s*(\{\s*\})?\s*$/.test(bare) ? null : { text: bare, mode: rights };
}

/** @throws CommandFailure if the file is read-only */
function refuseReadOnly(path: string, mode: number | undefined): void {
  if (mode === undefined || (mode & 0o200) !== 0) return;
  throw new CommandFailure(`${path} is read-only. No changes were written.`, {
    cure: `chmod u+w '${path}', then run the command again`,
  });
}

/** Returns true if no file would change. */
export const isUpToDate = (changes: readonly PlannedFileChange[]): boolean =>
  changes.every(({ before, after }) => before === after);

/** Returns the text of each of the agent's files without Trackway's settings, by path. */
export const mapTextsWithoutTrackway = (changes: readonly PlannedFileChange[]): Map<string, string> =>
  new Map(changes.map(({ path, bare }) => [path, bare?.text ?? ""]));

/** Writes the planned files. Returns the records of the agent's files, which disconnecting needs. */
export async function writePlannedFiles({ own, files }: Plan): Promise<Record<string, FileRecord>> {
  for (const { path, after } of own) await writePrivateFile(path, after);
  const records: Record<string, FileRecord> = {};
  for (const change of files) {
    // A file to which Trackway adds nothing needs no record.
    if (change.after === (change.bare?.text ?? "")) continue;
    records[change.path] = await applyToFile(change);
  }
  return records;
}

async function applyToFile({ path, before, after, mode, bare, known }: PlannedFileChange): Promise<FileRecord> {
  const folders = known?.folders ?? [];
  if (before !== after)
    folders.push(...foldersUpTo(await writeSettingsFile(path, after, mode), await resolveSettingsLink(path)));
  else if ((await readMode(path)) !== mode) await chmod(path, mode);
  return { written: hashText(after), mode, before: bare, folders };
}

/**
 * Returns the folders that were created for a file. `made` is the outermost created folder. The innermost folder comes
 * first.
 */
function foldersUpTo(made: string | undefined, path: string): string[] {
  const folders: string[] = [];
  if (made === undefined) return folders;
  for (let folder = dirname(path); folder.length >= made.length; folder = dirname(folder)) folders.push(folder);
  return folders;
}

/**
 * Removes Trackway's settings from a file. Deletes the file if Trackway created the file and nobody added other
 * content. Returns true if the content changed.
 */
export async function removeTrackwayFromFile(file: AgentConfigFile, known: FileRecord | undefined): Promise<boolean> {
  const { path } = file;
  const [text, mode = PRIVATE_MODE] = [await readFileIfExists(path), await readMode(path)];
  if (text === undefined) return false;
  const bare = bareOf(file, { text, mode }, known);
  const changed = bare?.text !== text;
  if (changed) refuseReadOnly(path, mode);
  if (bare === null) await rm(await resolveSettingsLink(path));
  else if (changed) await writeSettingsFile(path, bare.text, bare.mode);
  else if (bare.mode !== mode) await chmod(path, bare.mode);
  return changed;
}

/** Removes the folders that connecting created, unless they contain other files. */
export async function removeCreatedFolders(files: Record<string, FileRecord>): Promise<void> {
  const folders = new Set(Object.values(files).flatMap((file) => file.folders));
  const inmostFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const folder of inmostFirst) await rmdir(folder).catch(() => {});
}

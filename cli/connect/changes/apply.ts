import { chmod, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { modeOf, PRIVATE, readIfThere, targetOf, writePrivate, writeWhole } from "../../files/whole-file.ts";
import type { AgentFile } from "../agent.ts";
import { bareOf, type Change, type Plan, refuseReadOnly } from "./plan.ts";
import { digest, type FileRecord } from "./record.ts";

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

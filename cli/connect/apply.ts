import { rm } from "node:fs/promises";
import { makePrivate, readIfThere, writeWhole } from "../files/whole-file.ts";
import type { Change } from "./plan.ts";
import { type ConnectionRecord, digest, type FileRecord } from "./record.ts";

/** The name of a file's backup, beside it. */
export const backupOf = (path: string): string => `${path}.before-trackway`;

/** Writes what was planned, a backup of each file of the agent's first. Answers what to keep about the files. */
export async function applyChanges(
  { own, files }: { own: Change[]; files: Change[] },
  known: ConnectionRecord | undefined,
): Promise<Record<string, FileRecord>> {
  for (const { path, after } of own) await writeWhole(path, after);
  const records: Record<string, FileRecord> = {};
  for (const change of files) {
    const record = await applyToFile(change, known?.files[change.path]);
    if (record) records[change.path] = record;
  }
  return records;
}

async function applyToFile(change: Change, known: FileRecord | undefined): Promise<FileRecord | undefined> {
  const { path, before, after } = change;
  if (before === after) {
    if (known) await makePrivate(path);
    return known;
  }
  const backup = await keepBackup(change, known);
  await writeWhole(path, after);
  return { written: digest(after), backup };
}

/** A file that is as we left it keeps the backup from before that; any other one gets a new one, without our parts. */
async function keepBackup({ path, before, bare }: Change, known: FileRecord | undefined): Promise<string | null> {
  if (known && before !== undefined && digest(before) === known.written) return known.backup;
  if (bare === undefined) return null;
  await writeWhole(backupOf(path), bare);
  return backupOf(path);
}

/** Takes a file back to what was there besides. Answers whether there was anything to take back. */
export async function restoreFile(
  path: string,
  remove: (text: string) => string,
  known: FileRecord | undefined,
): Promise<boolean> {
  const text = await readIfThere(path);
  const backup = known?.backup ? await readIfThere(known.backup) : undefined;
  if (text === undefined) return false;
  const untouched = known !== undefined && digest(text) === known.written;
  const bare = untouched && backup !== undefined ? backup : remove(text);
  const madeByUs = known?.backup === null && (untouched || /^\s*(\{\s*\})?\s*$/.test(bare));
  if (madeByUs) await rm(path);
  else if (bare !== text) await writeWhole(path, bare);
  if (known?.backup) await rm(known.backup, { force: true });
  return madeByUs || bare !== text;
}

import { spawn } from "node:child_process";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFolder } from "../../../db/embedded/create-folder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { count, note } from "../../counters.ts";
import type { Runtime } from "../../runtime.ts";
import { writeFileWhole } from "../../whole-file.ts";
import { writeBackup } from "../backup-file.ts";
import { deletedIn } from "./deleted-text.ts";
import { createOwnFolder, removeAbandoned } from "./own-folder.ts";

/** Names of backups that were restored on trial; their order is that of their times. */
const NAME = /^trackway-\d{8}T\d{6}Z\.jsonl\.gz$/;
const OLD_UNTRIED = /^trackway-\d{8}T\d{6}Z\.jsonl\.gz\.untried(\.partial)?$/;
/** After a failure the next try comes at least this soon, ms. */
const SOON_MS = 5 * 60 * 1000;
const RESTORE = fileURLToPath(new URL("../trial.js", import.meta.url));
/** Prefixes of the folders in which a backup is written, and restored on trial. */
const [UNTRIED, TRIAL] = ["trackway-untried-", "trackway-trial-"];

/** A schedule: where backups go, how often one is made, and how long they are kept, in ms. */
export interface BackupSchedule {
  folder: string;
  every: number;
  keep: number;
}

/**
 * Backs up until the server stops. A backup has its name only once a process of its own has restored it into a throw-away
 * embedded database. Those that are older than `keep` go, but for the newest.
 */
export async function keepBackups(runtime: Runtime, schedule: BackupSchedule): Promise<void> {
  const { log, stopping } = runtime;
  await removeLeftovers(schedule.folder, log);
  let newest = await newestOf(schedule.folder).catch(() => 0);
  if (newest > 0) note("backup_last_success_timestamp_seconds", newest / 1000);
  count("backup_failures_total", "", 0);
  let pause = Math.max(0, newest + schedule.every - Date.now());
  for (;;) {
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    try {
      await removeLeftovers(schedule.folder, log);
      const { file, deleted } = await backUp(runtime, schedule);
      newest = Date.now();
      note("backup_last_success_timestamp_seconds", newest / 1000);
      log.info({ file, ...(deleted && { deleted }) }, "backup written, and restored on trial");
      pause = schedule.every;
    } catch (error) {
      if (stopping.aborted) return;
      count("backup_failures_total");
      log.error({ err: error }, "backup failed; tried again later");
      pause = Math.min(schedule.every, SOON_MS);
    }
  }
}

/** Removes what servers left that were killed during a backup or its trial. What another process works at stays. */
async function removeLeftovers(folder: string, log: Runtime["log"]): Promise<void> {
  for (const [parent, prefix] of [
    [folder, UNTRIED],
    [tmpdir(), TRIAL],
  ] as const) {
    const removed = await removeAbandoned(parent, prefix).catch((error) => {
      if (error.code !== "ENOENT") log.warn({ err: error, folder: parent }, "what killed backups left was not removed");
      return 0;
    });
    if (removed > 0) log.info({ folder: parent, removed }, "removed what a killed backup left");
  }
  await removeOldUntried(folder).catch(() => {});
}

/** Release 0.2.0 held no lock while it tried a backup: a file of its that nobody has changed for a day is a leftover. */
async function removeOldUntried(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => OLD_UNTRIED.test(each))) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}

interface Tried {
  file: string;
  /** The line in which the restore reports what it deleted. */
  deleted: string | undefined;
}

/**
 * Makes one backup and removes those that are too old.
 * @throws Error when it cannot be written, or not be restored
 */
async function backUp({ db, secret, stopping }: Runtime, { folder, keep }: BackupSchedule): Promise<Tried> {
  createFolder(resolve(folder));
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const file = join(folder, `trackway-${time}.jsonl.gz`);
  const own = await createOwnFolder(folder, UNTRIED);
  let deleted: string | undefined;
  try {
    const untried = join(own.path, "backup.jsonl.gz");
    await writeFileWhole(untried, (target) => writeBackup(db, secret, target, "all", stopping));
    deleted = await tryRestore(untried, secret, stopping);
    await rename(untried, file);
  } finally {
    await own.remove();
  }
  const names = (await backupsIn(folder)).slice(0, -1);
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > keep) await rm(join(folder, name), { force: true });
  }
  return { file, deleted };
}

/**
 * Restores a backup into a database that is removed afterwards, in another process: it takes memory of its own.
 * @returns the line in which the restore reports what it deleted
 */
async function tryRestore(file: string, secret: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const own = await createOwnFolder(tmpdir(), TRIAL);
  try {
    const env = {
      PATH: process.env["PATH"],
      DATA_DIR: own.path,
      JWT_SECRET: Buffer.from(secret).toString(),
    };
    const child = spawn(process.execPath, [RESTORE, file], { env, signal, stdio: "pipe" });
    // An abort is reported as an error, before the process has ended.
    child.on("error", () => {});
    const [output, failure] = [child.stdout, child.stderr].map(collect);
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`the backup could not be restored: ${failure?.().trim()}`);
    return deletedIn(output?.() ?? "");
  } finally {
    await own.remove();
  }
}

/** Collects the beginning of what a process prints. */
function collect(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(0, 2_000);
  });
  return () => text;
}

const backupsIn = async (folder: string) => (await readdir(folder)).filter((name) => NAME.test(name)).sort();

/** The time of the newest backup, epoch ms; 0 without one. */
async function newestOf(folder: string): Promise<number> {
  const name = (await backupsIn(folder)).at(-1);
  return name === undefined ? 0 : (await stat(join(folder, name))).mtimeMs;
}

import { spawn } from "node:child_process";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFolder } from "../../../db/embedded/create-folder.ts";
import { DAY_MS } from "../../../formats/time.ts";
import { incrementCounter, setGauge } from "../../counters.ts";
import type { Runtime } from "../../runtime.ts";
import { writeFileAtomically } from "../../whole-file.ts";
import { writeBackup } from "../backup-file.ts";
import { findDeletedCountsLine } from "./deleted-text.ts";
import { createLockedTempFolder, removeAbandonedTempFolders } from "./own-folder.ts";

/** Longest delay of a timer, in ms. Node.js fires a timer with a longer delay at once. */
const LONGEST_PAUSE_MS = 2 ** 31 - 1;
/** Names of backups that passed the trial restore. The names sort by time. */
const NAME = /^trackway-\d{8}T\d{6}Z\.jsonl\.gz$/;
const OLD_UNTRIED = /^trackway-\d{8}T\d{6}Z\.jsonl\.gz\.untried(\.partial)?$/;
/** Longest delay before the next attempt after a failure, in ms. */
const SOON_MS = 5 * 60 * 1000;
const RESTORE = fileURLToPath(new URL("../trial.js", import.meta.url));
/** Prefixes of temporary folders: one for writing a backup, one for the trial restore. */
const [UNTRIED, TRIAL] = ["trackway-untried-", "trackway-trial-"];

/** The folder for backups, the interval between backups in ms, and the retention of backups in ms. */
export interface BackupSchedule {
  folder: string;
  every: number;
  keep: number;
}

/**
 * Makes scheduled backups until the server stops. A backup gets its final name only after a separate process has
 * restored the backup into a temporary embedded database. Backups that are older than `keep` are removed, except
 * the newest backup.
 */
export async function runScheduledBackups(runtime: Runtime, schedule: BackupSchedule): Promise<void> {
  const { log, stopping } = runtime;
  await removeLeftovers(schedule.folder, log);
  let newest = await newestOf(schedule.folder).catch(() => 0);
  if (newest > 0) setGauge("backup_last_success_timestamp_seconds", newest / 1000);
  incrementCounter("backup_failures_total", "", 0);
  // If the clock was set back, the time of the newest file lies in the future. The pause is therefore limited to the
  // interval.
  let pause = Math.min(schedule.every, Math.max(0, newest + schedule.every - Date.now()));
  for (;;) {
    for (let rest = pause; rest > 0 && !stopping.aborted; rest -= LONGEST_PAUSE_MS) {
      await sleep(Math.min(rest, LONGEST_PAUSE_MS), undefined, { signal: stopping, ref: false }).catch(() => {});
    }
    if (stopping.aborted) return;
    try {
      await removeLeftovers(schedule.folder, log);
      const { file, deleted } = await backUp(runtime, schedule);
      newest = Date.now();
      setGauge("backup_last_success_timestamp_seconds", newest / 1000);
      log.info({ file, ...(deleted && { deleted }) }, "backup written and verified by a trial restore");
      pause = schedule.every;
    } catch (error) {
      if (stopping.aborted) return;
      incrementCounter("backup_failures_total");
      log.error({ err: error }, "backup failed; the server will retry");
      pause = Math.min(schedule.every, SOON_MS);
    }
  }
}

/**
 * Removes leftovers of servers that were killed during a backup or a trial
 * restore. Folders that another process uses stay.
 */
async function removeLeftovers(folder: string, log: Runtime["log"]): Promise<void> {
  for (const [parent, prefix] of [
    [folder, UNTRIED],
    [tmpdir(), TRIAL],
  ] as const) {
    const removed = await removeAbandonedTempFolders(parent, prefix).catch((error) => {
      if (error.code !== "ENOENT")
        log.warn({ err: error, folder: parent }, "leftovers of interrupted backups were not removed");
      return 0;
    });
    if (removed > 0) log.info({ folder: parent, removed }, "removed the leftovers of an interrupted backup");
  }
  await removeOldUntried(folder).catch(() => {});
}

/**
 * Removes unfinished backups of release 0.2.0, which held no lock during the trial restore. An unfinished backup counts
 * as a leftover when the backup file has not changed for a day.
 */
async function removeOldUntried(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((each) => OLD_UNTRIED.test(each))) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true });
  }
}

interface Tried {
  file: string;
  /** The line in which the restore reports the rows deleted because of tombstones. */
  deleted: string | undefined;
}

/**
 * Makes one backup and removes backups that are too old.
 * @throws Error when the backup cannot be written or restored
 */
async function backUp({ db, secret, stopping }: Runtime, { folder, keep }: BackupSchedule): Promise<Tried> {
  createFolder(resolve(folder));
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const file = join(folder, `trackway-${time}.jsonl.gz`);
  const own = await createLockedTempFolder(folder, UNTRIED);
  let deleted: string | undefined;
  try {
    const untried = join(own.path, "backup.jsonl.gz");
    await writeFileAtomically(untried, (target) => writeBackup(db, secret, target, "all", stopping));
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
 * Restores a backup into a temporary database in another process, because the restore needs memory of its own.
 * @returns the line in which the restore reports the rows deleted because of tombstones
 */
async function tryRestore(file: string, secret: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  const own = await createLockedTempFolder(tmpdir(), TRIAL);
  try {
    const env = {
      PATH: process.env["PATH"],
      DATA_DIR: own.path,
      JWT_SECRET: Buffer.from(secret).toString(),
    };
    const child = spawn(process.execPath, [RESTORE, file], { env, signal, stdio: "pipe" });
    // Ignores the error event. When the signal aborts, Node.js emits this event before the process has ended.
    child.on("error", () => {});
    const [output, failure] = [child.stdout, child.stderr].map(collect);
    const code = await new Promise((resolve) => child.once("close", resolve));
    if (code !== 0) throw new Error(`the backup could not be restored: ${failure?.().trim()}`);
    return findDeletedCountsLine(output?.() ?? "");
  } finally {
    await own.remove();
  }
}

/** Collects the first 2,000 characters of a process's output. */
function collect(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(0, 2_000);
  });
  return () => text;
}

const backupsIn = async (folder: string) => (await readdir(folder)).filter((name) => NAME.test(name)).sort();

/** The time of the newest backup, in epoch ms; 0 without a backup. */
async function newestOf(folder: string): Promise<number> {
  const name = (await backupsIn(folder)).at(-1);
  return name === undefined ? 0 : (await stat(join(folder, name))).mtimeMs;
}

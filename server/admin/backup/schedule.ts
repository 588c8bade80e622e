import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { count, note } from "../../counters.ts";
import type { Runtime } from "../../runtime.ts";
import { writeFileWhole } from "../../whole-file.ts";
import { writeBackup } from "../backup-file.ts";

/** Names of backups that were restored on trial; their order is that of their times. */
const NAME = /^trackway-\d{8}T\d{6}Z\.jsonl\.gz$/;
/** After a failure the next try comes at least this soon, ms. */
const SOON_MS = 5 * 60 * 1000;
const RESTORE = fileURLToPath(new URL("../restore-file.js", import.meta.url));

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
  let newest = await newestOf(schedule.folder).catch(() => 0);
  if (newest > 0) note("backup_last_success_timestamp_seconds", newest / 1000);
  count("backup_failures_total", "", 0);
  let pause = Math.max(0, newest + schedule.every - Date.now());
  for (;;) {
    await sleep(pause, undefined, { signal: stopping, ref: false }).catch(() => {});
    if (stopping.aborted) return;
    try {
      const file = await backUp(runtime, schedule);
      newest = Date.now();
      note("backup_last_success_timestamp_seconds", newest / 1000);
      log.info({ file }, "backup written, and restored on trial");
      pause = schedule.every;
    } catch (error) {
      if (stopping.aborted) return;
      count("backup_failures_total");
      log.error({ err: error }, "backup failed; tried again later");
      pause = Math.min(schedule.every, SOON_MS);
    }
  }
}

/**
 * Makes one backup and removes those that are too old.
 * @returns its path
 * @throws Error when it cannot be written, or not be restored
 */
async function backUp({ db, secret, stopping }: Runtime, { folder, keep }: BackupSchedule): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const file = join(folder, `trackway-${time}.jsonl.gz`);
  const untried = `${file}.untried`;
  try {
    await writeFileWhole(untried, (target) => writeBackup(db, secret, target));
    await tryRestore(untried, secret, stopping);
    await rename(untried, file);
  } finally {
    await rm(untried, { force: true });
  }
  const names = (await backupsIn(folder)).slice(0, -1);
  for (const name of names) {
    const { mtimeMs } = await stat(join(folder, name));
    if (Date.now() - mtimeMs > keep) await rm(join(folder, name), { force: true });
  }
  return file;
}

/** Restores a backup into a database that is removed afterwards, in another process: it takes memory of its own. */
async function tryRestore(file: string, secret: Uint8Array, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "trackway-trial-"));
  try {
    const env = {
      PATH: process.env["PATH"],
      DATA_DIR: folder,
      JWT_SECRET: Buffer.from(secret).toString(),
    };
    const child = spawn(process.execPath, [RESTORE, file], { env, signal, stdio: ["ignore", "ignore", "pipe"] });
    let failure = "";
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      failure = (failure + piece).slice(0, 2_000);
    });
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`the backup could not be restored: ${failure.trim()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const backupsIn = async (folder: string) => (await readdir(folder)).filter((name) => NAME.test(name)).sort();

/** The time of the newest backup, epoch ms; 0 without one. */
async function newestOf(folder: string): Promise<number> {
  const name = (await backupsIn(folder)).at(-1);
  return name === undefined ? 0 : (await stat(join(folder, name))).mtimeMs;
}

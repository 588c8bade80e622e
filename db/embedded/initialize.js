// @ts-check
// Plain JavaScript, for the reason given in worker.js.
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";

/**
 * Child process that creates a data directory. Initializes the database in memory, which takes 750 MB until the process
 * ends. Then writes the files to the directory of the first argument and syncs each file. The parent process renames
 * the directory afterwards, so the files of a killed process never look like a database.
 */
const [, , target = ""] = process.argv;
process.on("disconnect", () => process.exit(1));

const pg = await PGlite.create({ dataDir: "memory://", initDbStartParams: ["--no-sync"] });
const { FS } = pg.Module;
await pg.close();
await copy(PGlite.paths.PGDATA, target);
process.exit(0);

/** @param {string} from in the engine's memory @param {string} to on disk */
async function copy(from, to) {
  await setImmediate(); // Lets `disconnect` arrive if the parent has ended. The next start removes the files.
  mkdirSync(to, { mode: 0o700 });
  for (const name of FS.readdir(from)) {
    if (name === "." || name === "..") continue;
    if (FS.isDir(FS.stat(`${from}/${name}`).mode)) await copy(`${from}/${name}`, join(to, name));
    else synced(join(to, name), "wx", (file) => writeFileSync(file, FS.readFile(`${from}/${name}`)));
  }
  if (process.platform !== "win32") synced(to, "r", () => {});
}

/** @param {string} path @param {string} flags @param {(file: number) => void} write */
function synced(path, flags, write) {
  const file = openSync(path, flags, 0o600);
  write(file);
  fsyncSync(file);
  closeSync(file);
}

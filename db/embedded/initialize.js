// @ts-check
// Plain JavaScript for the same reason as worker.js.
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";

/**
 * The child that creates a data directory: initialises in memory (which takes 750 MB, given back when it ends),
 * then writes the files to the directory named as its argument and syncs each. Its parent gives the directory
 * its name afterwards, so what a kill leaves behind never looks like a database.
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
  await setImmediate(); // Lets the `disconnect` of a parent that has ended arrive: the next start removes the written files.
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

// @ts-check
// `npm run build`: makes dist/, which is what runs, from the sources. npm does so after an install (`prepare`) and before
// each start (`prestart`); when dist/ comes from these very sources, which takes some milliseconds to see, nothing is done.
import "./node-version.js";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
/** Tells from which sources dist/ was built. Written last, so that a build that was killed is made again. */
const STAMP = "sources.sha256";
const FOLDERS = ["server", "db", "concurrency", "formats", "mcp", "cli", "web", "scripts"];
const FILES = ["package.json", "package-lock.json"];

/**
 * Builds dist/ where it is missing or older than its sources. An installed package has no sources: its dist/ came along.
 * @throws Error that names the cure, where it cannot be built.
 */
export async function build() {
  if (!existsSync(join(ROOT, "server/main.ts"))) return;
  const digest = digestOfSources();
  if (existsSync(join(DIST, STAMP)) && readFileSync(join(DIST, STAMP), "utf8") === digest) return;
  const compile = await compiler();
  const fresh = `${DIST}.${process.pid}`;
  try {
    await compile(ROOT, fresh);
    replace(fresh, digest);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A digest over the path and the content of every source. */
function digestOfSources() {
  const hash = createHash("sha256");
  for (const path of [...FOLDERS.flatMap((folder) => filesIn(ROOT, folder)), ...FILES]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Paths of the files below a folder, always in the same order.
 * @param {string} base
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(base, folder) {
  return readdirSync(join(base, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(base, path) : [path];
    });
}

/**
 * Moves the new files to dist/ one by one, so that another process finds each of them at any moment.
 * @param {string} fresh
 * @param {string} digest
 */
function replace(fresh, digest) {
  mkdirSync(DIST, { recursive: true });
  rmSync(join(DIST, STAMP), { force: true });
  const made = filesIn(fresh, "");
  for (const path of made) {
    mkdirSync(join(DIST, dirname(path)), { recursive: true });
    renameSync(join(fresh, path), join(DIST, path));
  }
  const kept = new Set(made);
  for (const path of filesIn(DIST, "")) if (!kept.has(path)) rmSync(join(DIST, path), { force: true });
  writeFileSync(join(DIST, STAMP), digest);
}

/** The compiler is a development dependency: a production install has a dist/ that is built already. */
async function compiler() {
  try {
    return (await import("./compile.js")).compile;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      "dist/ is not built from these sources, and building it takes the development dependencies: run npm ci --include=dev",
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  build().catch((error) => {
    process.stderr.write(`trackway: ${error.message}\n`);
    process.exitCode = 1;
  });
}

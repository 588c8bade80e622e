// @ts-check
// `npm run build` compiles the sources into dist/, which the programs run. npm runs the build after an install
// (`prepare`) and before each start (`prestart`). When dist/ matches the sources, the check takes some milliseconds
// and nothing is built.
import "./node-version.js";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SOURCES } from "./folders.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
/**
 * The sources of each program, by the stamp file in dist/ that contains their digest. The command line checks
 * only its own sources, because the command line starts at every use. The stamps are written last, so a killed
 * build is repeated.
 */
const STAMPS = {
  "sources.sha256": [...SOURCES, "scripts", "docs", "examples/README.md", "CHANGELOG.md", "llms.txt"],
  "sources-cli.sha256": ["formats", "system", "redaction", "cli", "scripts"],
};
const FILES = ["package.json", "package-lock.json"];

/**
 * Builds dist/ when dist/ is missing or older than the sources of a stamp. An installed package contains dist/
 * and no sources.
 * @param {keyof typeof STAMPS} stamp
 * @throws Error that names the cure, when the build is impossible.
 */
export async function build(stamp = "sources.sha256") {
  if (!existsSync(join(ROOT, "server/main.ts"))) return;
  const path = join(DIST, stamp);
  if (existsSync(path) && readFileSync(path, "utf8") === digestOf(STAMPS[stamp])) return;
  const digests = Object.entries(STAMPS).map(([name, folders]) => /** @type {const} */ ([name, digestOf(folders)]));
  const compile = await compiler();
  const fresh = `${DIST}.${process.pid}`;
  try {
    await compile(ROOT, fresh);
    replace(fresh, digests);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * A digest over the path and the content of every source.
 * @param {readonly string[]} folders and single files
 */
function digestOf(folders) {
  const hash = createHash("sha256");
  for (const path of [...folders.flatMap((folder) => listFiles(ROOT, folder)), ...FILES]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Paths of the files below a folder, always in the same order. For a file, returns its own path.
 * @param {string} base
 * @param {string} folder
 * @returns {string[]}
 */
function listFiles(base, folder) {
  if (!statSync(join(base, folder)).isDirectory()) return [folder];
  return readdirSync(join(base, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(base, path) : [path];
    });
}

/**
 * Moves the new files to dist/ one by one, so that another process finds each file at any moment.
 * @param {string} fresh
 * @param {readonly (readonly [stamp: string, digest: string])[]} digests
 */
function replace(fresh, digests) {
  mkdirSync(DIST, { recursive: true });
  for (const [stamp] of digests) rmSync(join(DIST, stamp), { force: true });
  // Moves files in subfolders first, because files in parent folders import the files in subfolders.
  const made = listFiles(fresh, "").sort((one, other) => other.split(sep).length - one.split(sep).length);
  for (const path of made) {
    mkdirSync(join(DIST, dirname(path)), { recursive: true });
    renameSync(join(fresh, path), join(DIST, path));
  }
  const kept = new Set(made);
  for (const path of listFiles(DIST, "")) if (!kept.has(path)) rmSync(join(DIST, path), { force: true });
  for (const [stamp, digest] of digests) writeFileSync(join(DIST, stamp), digest);
}

/** The compiler is a development dependency. A production install already contains dist/. */
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

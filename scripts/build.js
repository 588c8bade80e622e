// @ts-check
// `npm run build`: makes dist/, which is what runs, from the sources. npm does so after an install (`prepare`) and before
// each start (`prestart`); when dist/ comes from these very sources, which takes some milliseconds to see, nothing is done.
import "./node-version.js";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SOURCES } from "./folders.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
/**
 * The sources that a program is made of, by the stamp in dist/ that says from which it was built. The command line starts
 * at every use, so it reads its own alone. Stamps are written last, so that a build that was killed is made again.
 */
const STAMPS = {
  "sources.sha256": [...SOURCES, "scripts", "docs", "examples/README.md", "CHANGELOG.md", "llms.txt"],
  "sources-cli.sha256": ["formats", "redaction", "cli", "scripts"],
};
const FILES = ["package.json", "package-lock.json"];

/**
 * Builds dist/ where it is missing or older than the sources of a stamp. An installed package has no sources: its dist/
 * came along.
 * @param {keyof typeof STAMPS} stamp
 * @throws Error that names the cure, where it cannot be built.
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
  for (const path of [...folders.flatMap((folder) => filesIn(ROOT, folder)), ...FILES]) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(ROOT, path)))
      .update("\0");
  }
  return hash.digest("hex");
}

/**
 * Paths of the files below a folder, always in the same order; of a file, its own.
 * @param {string} base
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(base, folder) {
  if (!statSync(join(base, folder)).isDirectory()) return [folder];
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
 * @param {readonly (readonly [stamp: string, digest: string])[]} digests
 */
function replace(fresh, digests) {
  mkdirSync(DIST, { recursive: true });
  for (const [stamp] of digests) rmSync(join(DIST, stamp), { force: true });
  // Files in folders first: those above load them.
  const made = filesIn(fresh, "").sort((one, other) => other.split(sep).length - one.split(sep).length);
  for (const path of made) {
    mkdirSync(join(DIST, dirname(path)), { recursive: true });
    renameSync(join(fresh, path), join(DIST, path));
  }
  const kept = new Set(made);
  for (const path of filesIn(DIST, "")) if (!kept.has(path)) rmSync(join(DIST, path), { force: true });
  for (const [stamp, digest] of digests) writeFileSync(join(DIST, stamp), digest);
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

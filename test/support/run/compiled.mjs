// @ts-check
// Makes every process of a run load code that was compiled once. A loader that compiles costs each process seconds of
// CPU. The first process compiles all sources again, so no code is ever stale, and removes the result on exit.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { SOURCES } from "../../../scripts/folders.js";
import { withMutants } from "./mutants.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = [...SOURCES, "scripts", "bench", "test"];
/** Environment variable with the folder of the compiled files for the other processes of a run. */
const PLACE = "TEST_COMPILED";

/**
 * Compiles each source to a separate file at the same path below another folder. Modules and their order of
 * evaluation therefore stay those of the sources.
 */
async function compile(/** @type {string} */ outdir) {
  const entryPoints = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?!.*\b(fixtures|pages)\/.*\.js$).*\.(ts|tsx|js)$/.test(path) && !path.endsWith(".d.ts"))
      .map((path) => join(ROOT, folder, path)),
  );
  await build({
    entryPoints,
    outbase: ROOT,
    outdir,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    sourcesContent: false,
    logLevel: "error",
    plugins: [{ name: "places", setup: keepPlaces }],
  });
}

/** Keeps imports between our files as imports, and lets a file find the files beside its source. */
function keepPlaces(/** @type {import("esbuild").PluginBuild} */ { onResolve, onLoad }) {
  onResolve({ filter: /^#/ }, ({ path }) => ({ path, external: true }));
  onResolve({ filter: /^\.\.?\/.*\.[jt]sx?$/ }, ({ path, kind }) =>
    kind === "entry-point" ? undefined : { path: path.replace(/\.tsx?$/, ".js"), external: true },
  );
  onLoad({ filter: /\.[jt]sx?$/ }, ({ path }) => {
    const source = withMutants(path, readFileSync(path, "utf8"));
    if (!/import\.meta\.|isMutant\(/.test(source)) return undefined;
    const contents = source
      // A worker thread runs the compiled program, not the source.
      .replaceAll(/new URL\("(\.\/[\w-]+)\.js", import\.meta\.url\)/g, (found, name) =>
        existsSync(join(path, "..", `${name}.ts`)) ? found.replace("import.meta.url", "import.meta.compiled") : found,
      )
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
      .replaceAll("import.meta.dirname", JSON.stringify(join(path, "..")))
      .replaceAll("import.meta.compiled", "import.meta.url");
    return { contents, loader: path.endsWith(".js") ? "js" : path.endsWith("x") ? "tsx" : "ts" };
  });
}

async function compileOnce() {
  const parent = join(ROOT, "dist.tests");
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) if (!isRunning(Number(name))) removeLater(join(parent, name));
  const folder = join(parent, String(process.pid));
  process.once("exit", () => removeLater(folder));
  await compile(folder);
  return folder;
}

/**
 * Removes a folder in another process. Removing thousands of files on a disk takes seconds, for which nobody has to
 * wait.
 */
function removeLater(/** @type {string} */ folder) {
  const program = `require("node:fs").rmSync(${JSON.stringify(folder)}, { recursive: true, force: true })`;
  spawn(process.execPath, ["--eval", program], { detached: true, stdio: "ignore" }).unref();
}

/** Tells whether a process is still running. A killed run leaves its folder, and the next run removes the folder. */
function isRunning(/** @type {number} */ pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

const place = process.env[PLACE] ?? (await compileOnce());
process.env[PLACE] = place;
const require = createRequire(import.meta.url);
// Mocha calls require for each test file. The files are ES modules, which Node.js can require.
require.extensions[".ts"] = (module, path) => {
  module.exports = require(join(place, relative(ROOT, path)).replace(/\.ts$/, ".js"));
};

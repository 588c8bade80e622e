// @ts-check
// Has every process of a run load what was compiled once: a loader that compiles costs each of them seconds of CPU. The
// first process compiles everything anew, so that nothing is ever stale, and removes it when it ends.
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
/** The variable that tells the other processes of a run where the compiled files are. */
const PLACE = "TEST_COMPILED";

/** One file for each, at the same path below another folder: modules are those of the sources, and so is their order. */
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

/** Imports between our files stay imports, and a file finds what lies beside its source. */
function keepPlaces(/** @type {import("esbuild").PluginBuild} */ { onResolve, onLoad }) {
  onResolve({ filter: /^#/ }, ({ path }) => ({ path, external: true }));
  onResolve({ filter: /^\.\.?\/.*\.[jt]sx?$/ }, ({ path, kind }) =>
    kind === "entry-point" ? undefined : { path: path.replace(/\.tsx?$/, ".js"), external: true },
  );
  onLoad({ filter: /\.[jt]sx?$/ }, ({ path }) => {
    const source = withMutants(path, readFileSync(path, "utf8"));
    if (!/import\.meta\.|isMutant\(/.test(source)) return undefined;
    const contents = source
      // A thread runs what was compiled of its program, not the source.
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

/** Thousands of files on a disk take seconds to remove, for which nobody has to wait: another process does it. */
function removeLater(/** @type {string} */ folder) {
  const program = `require("node:fs").rmSync(${JSON.stringify(folder)}, { recursive: true, force: true })`;
  spawn(process.execPath, ["--eval", program], { detached: true, stdio: "ignore" }).unref();
}

/** A run that was killed leaves its folder to the next one. */
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
// Mocha requires each file that it is given; these are modules, which Node.js can require.
require.extensions[".ts"] = (module, path) => {
  module.exports = require(join(place, relative(ROOT, path)).replace(/\.ts$/, ".js"));
};

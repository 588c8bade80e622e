// @ts-check
// Runs one of our TypeScript programs: `node launch.js server/main.ts`. Its few hundred files are put into one by
// esbuild first, which takes a tenth of what a loader takes to fetch them one by one, and leaves no loader in memory.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url));
const CACHE = join(ROOT, "node_modules", ".cache", "trackway");

const [program = "server/main.ts"] = process.argv.splice(2, 1);
const bundle = await bundled(program).catch((error) => error);
if (typeof bundle === "string") {
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(bundle).href);
} else {
  // A folder that cannot be written to: the loader runs the files as they are.
  const { register } = await import("tsx/esm/api");
  register();
  await import(pathToFileURL(resolve(ROOT, program)).href);
}

/**
 * Makes the bundle anew, so that it is never stale, and answers its path. Packages stay outside.
 * @param {string} entry
 */
async function bundled(entry) {
  const { build, stop } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: [resolve(ROOT, entry)],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "inline",
    sourcesContent: false,
    write: false,
    outdir: CACHE,
    logLevel: "silent",
    plugins: [{ name: "place", setup: keepPlaces }],
  });
  await stop();
  const path = join(CACHE, `${entry.replaceAll(/[^a-z]/g, "-")}.mjs`);
  const fresh = `${path}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  await writeFile(fresh, outputFiles[0]?.contents ?? "");
  await rename(fresh, path);
  return path;
}

/**
 * A file still finds what lies beside it: its own address stands in the bundle.
 * @param {import("esbuild").PluginBuild} build
 */
async function keepPlaces(build) {
  const { readFile } = await import("node:fs/promises");
  build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    if (!text.includes("import.meta.")) return undefined;
    const contents = text
      .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
      .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
    return { contents, loader: "ts" };
  });
}

// @ts-check
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { licencesIn } from "../licences.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** CommonJS inside of an ES module asks for `require`; what is bundled requires modules of Node.js alone. */
const BANNER = "const require = process.getBuiltinModule;";

/**
 * A program with every package that it uses, for a folder without node_modules: a file for each entry point, and parts
 * that are loaded when they are needed.
 * @param {string[]} entryPoints paths from the root
 * @returns {Promise<Record<string, Uint8Array | string>>} files by path; `LICENSES.txt` has the licences of the packages
 */
export async function bundle(entryPoints) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: "out",
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // A build that Node.js would take by itself may load parts by names that no bundler sees.
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    chunkNames: "parts/[name]-[hash]",
    banner: { js: BANNER },
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  await stop();
  const out = join(ROOT, "out/");
  const programs = outputFiles.map(({ path, contents }) => [path.slice(out.length), contents]);
  return { ...Object.fromEntries(programs), "LICENSES.txt": licencesIn(ROOT, metafile.inputs) };
}

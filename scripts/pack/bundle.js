// @ts-check
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { collectLicences } from "../licences.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** CommonJS code inside an ES module needs `require`. The bundled code requires only modules of Node.js. */
const BANNER = "const require = process.getBuiltinModule;";

/**
 * Bundles a program with every package that it uses, for a folder without node_modules. Produces one file per entry
 * point, and parts that are loaded on demand.
 * @param {string[]} entryPoints paths from the root
 * @returns {Promise<Record<string, Uint8Array | string>>} files by path; `LICENSES.txt` has the licences of the
 * packages
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
    // The builds of packages that Node.js would choose may load parts by computed names, which no bundler can follow.
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
  return { ...Object.fromEntries(programs), "LICENSES.txt": collectLicences(ROOT, metafile.inputs) };
}

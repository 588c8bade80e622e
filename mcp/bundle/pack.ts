import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { zipSync } from "fflate";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** CommonJS packages inside an ES module still ask for `require`. */
const BANNER = `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`;

/**
 * Packs the stdio server and all it needs into one .mcpb file, which desktop clients install with a click.
 * @returns the path it was written to.
 */
export async function pack(target: string): Promise<string> {
  const manifest = JSON.parse(await readFile(here("./manifest.json"), "utf8"));
  const { name, version, license } = JSON.parse(await readFile(here("../../package.json"), "utf8"));
  const { outputFiles } = await build({
    entryPoints: [here("../main.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minify: true,
    banner: { js: BANNER },
    write: false,
  });
  const json = (value: unknown) => Buffer.from(JSON.stringify(value, null, 2));
  const program = outputFiles[0]?.contents;
  if (!program) throw new Error("the bundler wrote nothing");
  const files = {
    "manifest.json": json({ ...manifest, version }),
    "package.json": json({ name, version, license, type: "module" }),
    "server/index.mjs": program,
  };
  await writeFile(target, zipSync(files));
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  void pack(process.argv[2] ?? "trackway.mcpb").then((path) => process.stdout.write(`${path}\n`));
}

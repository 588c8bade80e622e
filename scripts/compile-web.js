// @ts-check
// Builds the web app: one bundle that loads its other parts on demand. Every file except the page has a hash of its
// content in its name, so that browsers cache the file forever, and has a brotli-compressed copy beside it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build, stop } from "esbuild";
import { collectLicences } from "./licences.js";

const NAMES = "[name]-[hash]";

/**
 * Writes the app to a folder: `index.html`, `assets/` and the licences of the bundled packages.
 * @param {string} root
 * @param {string} target
 */
export async function compileWeb(root, target) {
  const assets = join(target, "assets");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["web/main.tsx", "web/styles/main.css", "web/icon.svg"],
    outdir: assets,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: ["chrome111", "firefox113", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    entryNames: NAMES,
    chunkNames: NAMES,
    assetNames: NAMES,
    loader: { ".svg": "copy" },
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    plugins: [{ name: "documents", setup: (build) => divideDocuments(root, build) }],
    metafile: true,
    logLevel: "warning",
  });
  await stop();
  const files = Object.keys(metafile.outputs).map((path) => join(root, path));
  for (const path of files) compress(path);
  const main = Object.keys(metafile.outputs).find((path) => /\/main-[^/]*\.js$/.test(path)) ?? "";
  writeFileSync(join(target, "LICENSES.txt"), collectLicences(root, metafile.inputs));
  writePage(root, target, { files, first: importedBy(metafile.outputs, main) });
}

/**
 * Makes each GraphQL document a separate module. esbuild never splits one module between bundles, so without this
 * step the first bundle would contain the documents of all pages.
 * @param {string} root
 * @param {import("esbuild").PluginBuild} build
 */
function divideDocuments(root, { onLoad, onResolve }) {
  const written = readFileSync(join(root, "web/data/documents.ts"), "utf8");
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const [, name = "", text = ""] of written.matchAll(/^export const (\w+) = toGraphQLDocument<.*>\((".*")\);$/gm))
    texts.set(name, text);
  onLoad({ filter: /\/web\/.*\.tsx?$/ }, ({ path }) => {
    const source = readFileSync(path, "utf8");
    const contents = source.replace(/^import \{([^}]+)\} from "[./]+(?:data\/)?documents\.ts";$/gm, (_, names) =>
      names
        .split(",")
        .filter((/** @type {string} */ name) => name.trim() && !/^\s*type /.test(name))
        .map((/** @type {string} */ name) => `import {${name}} from "document:${name.trim().split(" ")[0]}";`)
        .join(""),
    );
    return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
  });
  onResolve({ filter: /^document:/ }, ({ path }) => ({ path: path.replace("document:", ""), namespace: "document" }));
  onLoad({ filter: /./, namespace: "document" }, ({ path: name }) => ({
    contents: `export const ${name} = ${texts.get(name)};`,
  }));
}

/**
 * Finds the files that a file needs before it runs. The page lists the files for preloading; otherwise the browser
 * would discover each file only from the previous file.
 * @param {import("esbuild").Metafile["outputs"]} outputs
 * @param {string} path
 * @param {Set<string>} found
 */
function importedBy(outputs, path, found = new Set()) {
  for (const { path: next, kind } of outputs[path]?.imports ?? []) {
    if (kind !== "import-statement" || found.has(next)) continue;
    found.add(next);
    importedBy(outputs, next, found);
  }
  return found;
}

/** @param {string} path */
function compress(path) {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), quality));
}

/**
 * @param {string} root
 * @param {string} target
 * @param {{ files: string[], first: Set<string> }} built
 */
function writePage(root, target, { files, first }) {
  /** @param {RegExp} name */
  const address = (name) => {
    const found = files.find((path) => name.test(basename(path)));
    if (!found) throw new Error(`the build of the web app made no ${name}`);
    return `/assets/${basename(found)}`;
  };
  const page = readFileSync(join(root, "web/index.html"), "utf8")
    .replace("{{script}}", address(/^main-.*\.js$/))
    .replace("{{style}}", address(/^main-.*\.css$/))
    .replace("{{icon}}", address(/^icon-.*\.svg$/))
    .replace(
      "{{first}}",
      [...first].map((path) => `<link rel="modulepreload" href="/assets/${basename(path)}">`).join("\n"),
    );
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "index.html"), page);
}

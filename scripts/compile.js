// @ts-check
// Compiles for scripts/build.js: each source file separately, at its path in the source tree, and the browser's files.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { compileWeb } from "./compile-web.js";
import { compileDocs } from "./docs/compile-docs.js";
import { SOURCES } from "./folders.js";

/** Folders whose files are compiled separately. `cli` and `web` are bundled. */
const FOLDERS = SOURCES.filter((name) => name !== "cli" && name !== "web");
/** Assistants start this file from its place in the source tree. */
const LEFT_OUT = /^mcp\/bin\.js$/;
/** JavaScript in `pages/` folders is sent to browsers unchanged. */
const PROGRAM = /^(?!.*\/pages\/).*\.[jt]s$/;

/** @satisfies {import("esbuild").BuildOptions} */
const FOR_NODE = /** @type {const} */ ({
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
});

/** Prebuilt files for the browser from packages. Each package's licence is copied too. */
const ASSETS = {
  graphiql: ["graphiql.min.js", "graphiql.min.css"],
  "swagger-ui-dist": ["swagger-ui.css", "swagger-ui-bundle.js"],
  react: ["umd/react.production.min.js"],
  "react-dom": ["umd/react-dom.production.min.js"],
};

/**
 * Writes all programs and the files of pages to a folder.
 * @param {string} root
 * @param {string} target
 */
export async function compile(root, target) {
  const files = FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/"))
    .filter((path) => !LEFT_OUT.test(path));
  await compilePrograms(
    root,
    target,
    files.filter((path) => PROGRAM.test(path)),
  );
  await compileCommandLine(root, target);
  for (const path of files) if (!PROGRAM.test(path)) copy(join(root, path), join(target, path));
  copyAssets(join(target, "assets"));
  await compileWeb(root, join(target, "web"));
  await compileDocs(root, target);
}

/**
 * Compiles each TypeScript file to one JavaScript file, so that relative paths stay valid.
 * @param {string} root
 * @param {string} target
 * @param {string[]} files
 */
async function compilePrograms(root, target, files) {
  await build({
    ...FOR_NODE,
    absWorkingDir: root,
    entryPoints: files,
    outbase: root,
    outdir: target,
    packages: "external",
    plugins: [{ name: "imports", setup: keepImports }],
  });
}

/**
 * Bundles the command line, which starts at every use: one small file, and one file per command, loaded on demand. The
 * bundle includes the option parser, so that a start resolves no package.
 * @param {string} root
 * @param {string} target
 */
async function compileCommandLine(root, target) {
  await build({
    ...FOR_NODE,
    absWorkingDir: root,
    entryPoints: ["cli/main.ts", "cli/run.ts"],
    outdir: join(target, "cli"),
    chunkNames: "parts/[name]-[hash]",
    splitting: true,
    minifySyntax: true,
    // The option parser is CommonJS and requires only modules of Node.js.
    banner: { js: "const require = process.getBuiltinModule;" },
    plugins: [{ name: "packages", setup: keepPackages }],
  });
  await stop();
}

/**
 * Keeps packages as imports, except the option parser.
 * @param {import("esbuild").PluginBuild} build
 */
function keepPackages({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === "entry-point" || path === "commander" ? undefined : { path, external: true },
  );
}

/**
 * Keeps imports between Trackway's files, pointing to the compiled JavaScript, and the `#` imports of
 * package.json. Inlines JSON.
 * @param {import("esbuild").PluginBuild} build
 */
function keepImports({ onResolve }) {
  onResolve({ filter: /^#/ }, ({ path }) => ({ path, external: true }));
  onResolve({ filter: /^\.\.?\/.*\.[jt]s$/ }, ({ path, kind }) =>
    kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true },
  );
}

/** @param {string} target */
function copyAssets(target) {
  for (const [name, files] of Object.entries(ASSETS)) {
    const folder = dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
    for (const file of files) copy(join(folder, file), join(target, file.slice(file.lastIndexOf("/") + 1)));
    copy(join(folder, "LICENSE"), join(target, `${name}.LICENSE`));
  }
}

/** @param {string} from @param {string} to */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

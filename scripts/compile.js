// @ts-check
// Makes what scripts/build.js asks for: each source file by itself, at its place in the source tree, and the browser's files.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { compileWeb } from "./compile-web.js";
import { compileDocs } from "./docs/compile-docs.js";
import { SOURCES } from "./folders.js";

/** Folders of which each file is compiled by itself; the others are bundled. */
const FOLDERS = SOURCES.filter((name) => name !== "cli" && name !== "web");
/** Assistants start this from where it is. */
const LEFT_OUT = /^mcp\/bin\.js$/;
/** Scripts of pages are the browser's, and sent as they are. */
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

/** Files for the browser that packages bring ready made; each package's licence goes along. */
const ASSETS = {
  graphiql: ["graphiql.min.js", "graphiql.min.css"],
  "swagger-ui-dist": ["swagger-ui.css", "swagger-ui-bundle.js"],
  react: ["umd/react.production.min.js"],
  "react-dom": ["umd/react-dom.production.min.js"],
};

/**
 * Writes everything that runs to a folder.
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
 * One file of JavaScript for each of TypeScript, so that a file finds what lies beside it as its source does.
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
 * The command line starts at every use: one small file, and beside it one for each command, loaded when it is used. Its
 * parser is taken in, so that a start resolves no package.
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
    // The parser is CommonJS, and requires modules of Node.js alone.
    banner: { js: "const require = process.getBuiltinModule;" },
    plugins: [{ name: "packages", setup: keepPackages }],
  });
  await stop();
}

/**
 * Packages stay imports, but for the parser of command lines. A file is named by a path.
 * @param {import("esbuild").PluginBuild} build
 */
function keepPackages({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === "entry-point" || path === "commander" ? undefined : { path, external: true },
  );
}

/**
 * Imports between our files stay imports, of the JavaScript that each becomes, and so do those that package.json names.
 * JSON is taken in.
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

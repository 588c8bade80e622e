// @ts-check
// The packages of npm. Each is put together in a folder of its own, so that nothing else of a checkout slips in.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SOURCES } from "../folders.js";
import { bundle, ROOT } from "./bundle.js";

/** Whoever publishes has to hold this scope on npm: the registry takes a package of it from nobody else. */
const SCOPE = "@trackway";
/** Files of every package. */
const COMMON = ["LICENSE", "mcp/bin.js", "scripts/build.js", "scripts/folders.js", "scripts/node-version.js"];
/** The parts of dist/ that a server runs. */
const SERVED = ["assets", "docs", ...SOURCES.filter((name) => name !== "cli")].map((name) => `dist/${name}`);

/** @param {string} path */
const read = (path) => readFileSync(join(ROOT, path), "utf8");
/** @param {unknown} value */
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const checkout = JSON.parse(read("package.json"));
const { version, description, license, type, engines } = checkout;

/**
 * Packs the command line with the MCP server: bundled, so that an install fetches nothing else.
 * @param {string} target folder
 * @returns {Promise<string>} the path of the package
 */
export async function packCommandLine(target) {
  const [cli, mcp] = [await bundle(["cli/main.ts", "cli/run.ts"]), await bundle(["mcp/main.ts"])];
  return pack("cli", target, (folder) => {
    copy(folder, [...COMMON, "cli/bin.js", "plugins"]);
    writeFiles(join(folder, "dist/cli"), cli);
    writeFiles(join(folder, "dist/mcp"), mcp);
    const { mcpName, bin } = checkout;
    return { name: `${SCOPE}/trackway`, mcpName, bin };
  });
}

/**
 * Packs the server with its web app, documentation and migrations. Its dependencies are those it was tested with: npm reads
 * the lock file of a package from the registry, and `npm ci` that of an unpacked one.
 * @param {string} target folder
 * @returns {Promise<string>} the path of the package
 */
export async function packServer(target) {
  return pack("server", target, (folder) => {
    copy(folder, [...COMMON, ...SERVED, "scripts/server-bin.js", "deploy", "examples", "CHANGELOG.md"]);
    const bin = { "trackway-server": "scripts/server-bin.js" };
    const { imports } = checkout;
    const manifest = { name: `${SCOPE}/trackway-server`, version, bin, imports, dependencies: usedBy(folder) };
    writeLock(folder, manifest);
    return manifest;
  });
}

/**
 * The dependencies that programs name, in their locked versions; the others are the command line's.
 * @param {string} folder
 */
function usedBy(folder) {
  const programs = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => readFileSync(join(folder, "dist", path), "utf8"))
    .join("\n");
  // Not as a member: the programs hold our manifest.
  const isNamed = (/** @type {string} */ name) => new RegExp(`"${name}(/[^"]*)?"(?!:)`).test(programs);
  const { packages } = JSON.parse(read("package-lock.json"));
  const named = Object.keys(checkout.dependencies).filter(isNamed);
  return Object.fromEntries(named.map((name) => [name, packages[`node_modules/${name}`].version]));
}

/**
 * Has npm cut our lock file down to the dependencies of a package.
 * @param {string} folder
 * @param {object} manifest
 */
function writeLock(folder, manifest) {
  writeFiles(folder, { "package.json": json(manifest), "package-lock.json": read("package-lock.json") });
  npm(folder, "install", "--package-lock-only", "--offline", "--ignore-scripts", "--no-audit");
  npm(folder, "shrinkwrap");
}

/**
 * @param {string} folder
 * @param {string[]} paths from the root of the checkout
 */
function copy(folder, paths) {
  for (const path of paths) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
}

/**
 * @param {string} folder
 * @param {Record<string, string | Uint8Array>} files
 */
function writeFiles(folder, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/**
 * @param {string} folder
 * @param {string[]} args
 */
const npm = (folder, ...args) =>
  execFileSync("npm", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/**
 * Has npm pack a folder. npm gives each file the same date; the rights that a checkout has by its umask are set aside.
 * @param {"cli" | "server"} name of the package's file and of its page
 * @param {string} target
 * @param {(folder: string) => object} fill puts the files there, and answers the members of the manifest
 */
function pack(name, target, fill) {
  const folder = mkdtempSync(join(tmpdir(), `trackway-pack-${name}-`));
  try {
    const manifest = { ...fill(folder), version, description, license, type, engines };
    writeFiles(folder, { "package.json": json(manifest), "README.md": read(`scripts/pack/${name}.md`) });
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644);
    const [{ filename }] = JSON.parse(npm(folder, "pack", "--json", "--ignore-scripts"));
    const path = join(target, `trackway-${name}-${version}.tgz`);
    cpSync(join(folder, filename), path);
    return path;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// @ts-check
// Builds the npm packages. Each package is assembled in a temporary folder, so that no other file of the
// checkout gets in.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { SOURCES } from "../folders.js";
import { bundle, ROOT } from "./bundle.js";

/** The publisher must own this scope on npm. The registry refuses packages of the scope from other accounts. */
const SCOPE = "@trackway";
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
 * Packs the command line with the MCP server, bundled so that an install downloads no other package.
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
 * Packs the server with the web app, documentation and migrations. The package pins the tested versions of its
 * dependencies: npm reads the shrinkwrap file of a package from the registry, and `npm ci` reads the file of
 * an unpacked package.
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
 * The dependencies that the server's programs import, in their locked versions. The checkout's other dependencies
 * belong to the command line.
 * @param {string} folder
 */
function usedBy(folder) {
  const programs = readdirSync(join(folder, "dist"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => readFileSync(join(folder, "dist", path), "utf8"))
    .join("\n");
  // Ignores object keys, because the programs contain the checkout's manifest.
  const isNamed = (/** @type {string} */ name) => new RegExp(`"${name}(/[^"]*)?"(?!:)`).test(programs);
  const { packages } = JSON.parse(read("package-lock.json"));
  const named = Object.keys(checkout.dependencies).filter(isNamed);
  return Object.fromEntries(named.map((name) => [name, packages[`node_modules/${name}`].version]));
}

/**
 * Has npm reduce the checkout's lock file to the dependencies of a package.
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
 * Runs `npm pack` on a folder. npm gives each file the same date. Sets the permissions to 0644, because a checkout's
 * permissions depend on the umask.
 * @param {"cli" | "server"} name of the package's file and of its page
 * @param {string} target
 * @param {(folder: string) => object} fill writes the files to the folder, and returns the members of the manifest
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

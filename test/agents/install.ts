import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Program } from "./programs.ts";

const HOME = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
/** Cache of installed packages outside the repository, one folder per version. */
const CACHE = join(HOME, "trackway/agents");
/** Cache of installed SDKs. */
export const SDK_CACHE = join(HOME, "trackway/sdks");

/**
 * Returns the folder of an agent's package, installed from the registry if missing, or the reason why the agent
 * cannot start.
 */
export function install(program: Program, version: string): { folder: string } | { reason: string } {
  const folder = join(CACHE, `${program.command}-${version}`);
  const bin = join(folder, "node_modules/.bin");
  const node = () => nodeFor(join(folder, "node_modules", program.package, "package.json"));
  const failed =
    (existsSync(join(bin, program.command)) ? undefined : fetchInto(folder, `${program.package}@${version}`)) ??
    (node() && !existsSync(join(bin, "node")) ? fetchInto(folder, `node@${node()}`) : undefined);
  if (failed) return { reason: failed };
  const { status, stdout, stderr, error } = spawnSync(join(bin, program.command), ["--version"], {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` },
  });
  if (status === 0 && `${stdout}${stderr}`.includes(version)) return { folder: bin };
  return { reason: `${program.command} --version: ${error?.message ?? (stderr || stdout).trim().split("\n")[0]}` };
}

/**
 * Returns the folder of an example's packages with a copy of the example, or the reason why the example cannot start.
 */
export function installExample({ example, package: packages }: Program): { folder: string } | { reason: string } {
  const name = String(example);
  const folder = join(CACHE, `example-${name}`);
  const isThere = packages
    .split(" ")
    .every((each) => existsSync(join(folder, "node_modules", each.replace(/(?<=.)@.*/, ""))));
  const failed = isThere ? undefined : fetchInto(folder, packages);
  if (failed) return { reason: failed };
  copyFileSync(`examples/sdks/${name}`, join(folder, name));
  return { folder };
}

/**
 * Returns the version of Node.js that an agent needs if the current version is too old. The registry also provides
 * Node.js.
 */
function nodeFor(manifest: string): string | undefined {
  const { engines }: { engines?: { node?: string } } = JSON.parse(readFileSync(manifest, "utf8"));
  const major = /^>=\s*(\d+)/.exec(engines?.node ?? "")?.[1];
  return major !== undefined && Number(major) > Number(process.versions.node.split(".")[0]) ? major : undefined;
}

/** Installs space-separated packages into a folder. Returns the reason of a failure. */
export function fetchInto(folder: string, what: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, "package.json"))) writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = ["install", "--save-exact", "--no-audit", "--no-fund", ...what.split(" ")];
  try {
    execFileSync("npm", npm, { cwd: folder, stdio: ["ignore", "ignore", "pipe"], timeout: 600_000 });
    return undefined;
  } catch (error) {
    const lines = String((error as { stderr?: Buffer }).stderr ?? error)
      .trim()
      .split("\n");
    return `it cannot be installed: ${lines.find((line) => /npm error/.test(line)) ?? lines[0]}`;
  }
}

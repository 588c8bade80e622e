import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export interface Build {
  name: string;
  /** The command that starts the server. */
  command: readonly string[];
}

const run = (program: string, args: string[], cwd = ".") =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] });
const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `trackway-${name}-`));

/** The start command of a folder, with the flags of `npm start` in this checkout. */
function findStartCommand(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const [program = "", ...args] = String(scripts.start).split(" ");
  return [program, ...args.map((arg) => (arg.endsWith("main.js") ? join(folder, arg) : arg))];
}

export const getCurrentBuild = (): Build => ({ name: "today's", command: findStartCommand(resolve(".")) });

/**
 * The packed build. `from` is a package of `npm run pack:server`, or a folder with an installed package. Without
 * `from`, packs the newest release's tag, or HEAD before the first release.
 */
export function packBuild(from?: string): Build {
  if (from && statSync(from).isDirectory()) return { name: from, command: findStartCommand(resolve(from)) };
  if (from) return { name: from, command: findStartCommand(install(from)) };
  const revision = newestRelease() ?? "HEAD";
  const hash = run("git", ["rev-parse", "--short", `${revision}^{commit}`]).trim();
  return { name: `${revision} (${hash}), packed`, command: findStartCommand(install(pack(hash))) };
}

function newestRelease(): string | undefined {
  const [newest] = run("git", ["tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname"]).split("\n");
  return newest || undefined;
}

/** Packs the server of a commit as a release does. Returns the path of the package. */
function pack(hash: string): string {
  const [folder, target] = [newFolder("source"), newFolder("packed")];
  run("sh", ["-c", `git archive ${hash} | tar -x -C '${folder}'`]);
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  run("npm", ["run", "--silent", "pack:server", "--", target], folder);
  return join(target, String(readdirSync(target)[0]));
}

/** Installs a package with its own lock file in a new folder. Returns the folder. */
function install(tarball: string): string {
  const folder = newFolder("installed");
  run("tar", ["xzf", resolve(tarball), "--strip-components=1", "-C", folder]);
  run("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  return folder;
}

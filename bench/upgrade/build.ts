import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A build of ours that can be started. */
export interface Build {
  name: string;
  /** Starts its server. */
  command: readonly string[];
}

const run = (program: string, args: string[], cwd = ".") =>
  execFileSync(program, args, { cwd, encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "inherit"] });
const newFolder = (name: string) => mkdtempSync(join(tmpdir(), `trackway-${name}-`));

/** The program of a folder, with the flags of `npm start` in this checkout. */
function startOf(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const [program = "", ...args] = String(scripts.start).split(" ");
  return [program, ...args.map((arg) => (arg.endsWith("main.js") ? join(folder, arg) : arg))];
}

/** The build of this checkout. */
export const today = (): Build => ({ name: "today's", command: startOf(resolve(".")) });

/**
 * The packed build: `from` is a package that `npm run pack:server` has made, or a folder that one is installed in. Without it,
 * one is packed from the newest release's tag, or from HEAD before there is one.
 */
export function packed(from?: string): Build {
  if (from && statSync(from).isDirectory()) return { name: from, command: startOf(resolve(from)) };
  if (from) return { name: from, command: startOf(install(from)) };
  const revision = newestRelease() ?? "HEAD";
  const hash = run("git", ["rev-parse", "--short", `${revision}^{commit}`]).trim();
  return { name: `${revision} (${hash}), packed`, command: startOf(install(pack(hash))) };
}

/** The newest tag of a release. */
function newestRelease(): string | undefined {
  const [newest] = run("git", ["tag", "--list", "v*", "--merged", "HEAD", "--sort=-version:refname"]).split("\n");
  return newest || undefined;
}

/** Packs the server of a commit as a release does. Answers the path of the package. */
function pack(hash: string): string {
  const [folder, target] = [newFolder("source"), newFolder("packed")];
  run("sh", ["-c", `git archive ${hash} | tar -x -C '${folder}'`]);
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  run("npm", ["run", "--silent", "pack:server", "--", target], folder);
  return join(target, String(readdirSync(target)[0]));
}

/** Installs a package in a folder of its own, by its own lock file. Answers the folder. */
function install(tarball: string): string {
  const folder = newFolder("installed");
  run("tar", ["xzf", resolve(tarball), "--strip-components=1", "-C", folder]);
  run("npm", ["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"], folder);
  return folder;
}

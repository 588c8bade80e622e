import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A build of ours that can be started. */
export interface Build {
  name: string;
  /** Starts its server, as `npm start` does. */
  command: readonly string[];
}

const startOf = (folder: string): string[] => {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [program = "", ...args] = String(scripts.start).split(" ");
  return [program, ...args.map((arg) => (arg.endsWith("main.js") ? join(folder, arg) : arg))];
};

/** The build of this checkout. */
export const today = (): Build => ({ name: "today's", command: startOf(resolve(".")) });

/**
 * Makes the build of a revision in a folder of its own, with the packages of its own lock file: those of this checkout where
 * that is the same.
 */
export function packed(revision: string): Build {
  const folder = mkdtempSync(join(tmpdir(), "trackway-packed-"));
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  const hash = git("rev-parse", "--short", `${revision}^{commit}`).trim();
  execFileSync("sh", ["-c", `git archive ${hash} | tar -x -C '${folder}'`]);
  const same = readFileSync("package-lock.json", "utf8") === readFileSync(join(folder, "package-lock.json"), "utf8");
  if (same) symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  else execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "ignore" });
  execFileSync(process.execPath, ["scripts/build.js"], { cwd: folder, stdio: "inherit" });
  return { name: `${revision} (${hash})`, command: startOf(folder) };
}

/** The newest release; before there is one, a commit of some days ago. */
export function lastRelease(): string {
  try {
    return execFileSync("git", ["describe", "--tags", "--match", "v*", "--abbrev=0"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "HEAD~5";
  }
}

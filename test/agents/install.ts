import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Program } from "./programs.ts";

/** Outside the repository, once for each version. */
const CACHE = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "trackway/agents");

/** Where a program's command is, installed from the registry when it is not yet. Undefined where it cannot start. */
export function install(program: Program): { folder: string } | { reason: string } {
  const folder = join(CACHE, `${program.command}-${program.version}`);
  const bin = join(folder, "node_modules/.bin");
  if (!existsSync(join(bin, program.command))) {
    const failed = fetchInto(folder, program);
    if (failed) return { reason: failed };
  }
  const { status, stdout, stderr, error } = spawnSync(join(bin, program.command), ["--version"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status === 0 && stdout.includes(program.version)) return { folder: bin };
  return { reason: `${program.command} --version: ${error?.message ?? (stderr || stdout).trim().split("\n")[0]}` };
}

function fetchInto(folder: string, { package: name, version }: Program): string | undefined {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const npm = ["install", "--save-exact", "--no-audit", "--no-fund", `${name}@${version}`];
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

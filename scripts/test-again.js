// @ts-check
// `node scripts/test-again.js COMMAND …` runs a command that runs mocha. Where at most eight files fail, each file runs
// once more, alone, and is named as flaky when it passes then. Users can meet the same race: find its cause.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { argv, exit, env as ownEnv } from "node:process";

const MAX_FILES = 8;

/**
 * Runs the command.
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean} whether every test passed, at the latest in its second run
 */
export function runWithSecondTry(command, env) {
  const folder = mkdtempSync(join(tmpdir(), "trackway-failed-"));
  try {
    const list = join(folder, "files");
    if (run(command, { ...env, TEST_FAILED: list })) return true;
    const files = readFailedFiles(list);
    if (files.length === 0 || files.length > MAX_FILES || files.includes("?")) return false;
    console.log(`\n== again, alone: ${files.join(" ")}`);
    if (!files.every((file) => run(["npx", "mocha", file], env))) return false;
    console.log(`\n== FLAKY, these passed alone: ${files.join(" ")}`);
    return true;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} list */
function readFailedFiles(list) {
  try {
    return readFileSync(list, "utf8").trim().split("\n");
  } catch {
    return []; // The command ended before it ran a test.
  }
}

/**
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 */
function run([program = "", ...args], env) {
  return spawnSync(program, args, { env, stdio: "inherit" }).status === 0;
}

if (import.meta.filename === argv[1]) exit(runWithSecondTry(argv.slice(2), ownEnv) ? 0 : 1);

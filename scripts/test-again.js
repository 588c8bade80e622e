// @ts-check
// `node scripts/test-again.js COMMAND …` runs a command that runs mocha. When at most eight files fail, each
// file runs once more, alone. A file that then passes is reported as flaky. Users can meet the same race, so
// find the cause.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process, { argv, exit, env as ownEnv } from "node:process";

const MAX_FILES = 8;
/** Signals that ask a process to end. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs the command.
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<boolean>} whether every test passed, at the latest in its second run
 */
export async function runWithSecondTry(command, env) {
  const folder = mkdtempSync(join(tmpdir(), "trackway-failed-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const list = join(folder, "files");
  if (await run(command, { ...env, TEST_FAILED: list })) return true;
  const files = readFailedFiles(list);
  if (files.length === 0 || files.length > MAX_FILES || files.includes("?")) return false;
  console.log(`\n== again, alone: ${files.join(" ")}`);
  for (const file of files) if (!(await run(["npx", "mocha", file], env))) return false;
  console.log(`\n== FLAKY, these passed alone: ${files.join(" ")}`);
  return true;
}

/** @param {string} list */
function readFailedFiles(list) {
  try {
    return readFileSync(list, "utf8").trim().split("\n");
  } catch {
    return []; // The command ended before running a test.
  }
}

/**
 * Runs a command. Signals that ask this process to end also end the command.
 * @param {readonly string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<boolean>} whether it succeeded
 */
async function run([program = "", ...args], env) {
  const child = spawn(program, args, { env, stdio: "inherit" });
  const stop = () => {
    child.kill();
    exit(1);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  const [code] = await once(child, "close");
  for (const signal of SIGNALS) process.off(signal, stop);
  return code === 0;
}

if (import.meta.filename === argv[1]) exit((await runWithSecondTry(argv.slice(2), ownEnv)) ? 0 : 1);

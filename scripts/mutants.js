// @ts-check
// `npm run mutants`: breaks the server in 40 places, one at a time, and runs the tests that reach the place. A mutant that
// no test notices shows what is not tested. MUTANTS_SEED chooses other places; MUTANTS chooses some of them by number.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chosenPlaces } from "./mutants/places.js";

/** So long the tests of one mutant may run, in ms: 40 of them and the first run take less than an hour. */
const LIMIT_MS = 75_000;
/** Most files that are run against one mutant: those that reach it and take least. */
const MOST_FILES = 24;

const folder = mkdtempSync(join(tmpdir(), "trackway-mutants-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const places = chosenPlaces(Number(process.env["MUTANTS_SEED"] ?? 24));
  const numbers = process.env["MUTANTS"]?.split(",").map(Number) ?? places.map((_, number) => number);
  const list = join(folder, "places.json");
  writeFileSync(list, JSON.stringify(places));
  const reached = await reachedBy(list);
  const counts = { died: 0, lived: 0, unreached: 0 };
  for (const number of numbers) {
    const place = places[number];
    if (!place) throw new Error(`there is no mutant ${number}`);
    const files = (reached.get(number) ?? []).slice(0, MOST_FILES);
    const outcome = files.length === 0 ? "unreached" : (await fails(list, number, files)) ? "died" : "lived";
    counts[outcome] += 1;
    console.log(
      `${number} ${outcome} (${files.length} files) ${place.file}:${place.line} ${place.kind}: ${place.shown}`,
    );
  }
  console.log(JSON.stringify(counts));
}

/**
 * Runs the tests once without a mutant. Answers the files that reach each place, quickest first.
 * @param {string} list
 */
async function reachedBy(list) {
  const out = join(folder, "reached.jsonl");
  const named = process.env["MUTANTS_FILES"]?.split(",") ?? [];
  await mocha(named, { TEST_MUTANTS: list, TEST_REACHED: out });
  /** @type {{ file: string, ms: number, reached: number[] }[]} */
  const files = readFileSync(out, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  /** @type {Map<number, string[]>} */
  const byPlace = new Map();
  for (const { file, reached } of files.sort((one, other) => one.ms - other.ms))
    for (const number of reached) byPlace.set(number, [...(byPlace.get(number) ?? []), file]);
  return byPlace;
}

/**
 * Tells whether a test fails with a mutant; one that hangs has noticed it too.
 * @param {string} list
 * @param {number} number
 * @param {string[]} files
 */
const fails = async (list, number, files) =>
  (await mocha(["--bail", ...files], { TEST_MUTANTS: list, TEST_MUTANT: String(number) }, LIMIT_MS)) !== 0;

/**
 * Runs mocha in a group of its own, so that its workers end with it. Answers the exit code, null when it was too late.
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {number} [limit]
 * @returns {Promise<number | null>}
 */
function mocha(args, env, limit) {
  const command = ["node_modules/mocha/bin/mocha.js", "--require", "test/support/reached.mjs", ...args];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...env },
    stdio: "ignore",
    detached: true,
  });
  const stop = () => child.pid && process.kill(-child.pid, "SIGKILL");
  const timer = limit === undefined ? undefined : setTimeout(stop, limit);
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

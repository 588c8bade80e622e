// @ts-check
// `npm run mutants`: breaks the server in 40 places, one at a time, and runs the tests that reach the place. A mutant that
// no test notices shows what is not tested; one with which the tests never end was noticed as well. MUTANTS_SEED chooses
// other places, MUTANTS some of them by number, MUTANTS_FILES the tests, such as MUTANTS_FILES=test/tracker/issues/issues.test.ts.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chosenPlaces } from "./mutants/places.js";

/** The most that the files run against one mutant took without it, in ms: 40 mutants take less than an hour. */
const BUDGET_MS = 60_000;
/** A run that takes so many times as long, and so many ms to start, hangs. */
const [PATIENCE, START_MS] = [3, 60_000];
/** Words of most paths. */
const COMMON = ["server", "test", "index"];

const folder = mkdtempSync(join(tmpdir(), "trackway-mutants-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const places = chosenPlaces(Number(process.env["MUTANTS_SEED"] ?? 24));
  const numbers = process.env["MUTANTS"]?.split(",").map(Number) ?? places.map((_, number) => number);
  await prepare(places);
  const reached = await reachedBy();
  /** @type {Record<string, number>} */
  const counts = { died: 0, hung: 0, lived: 0, unreached: 0 };
  for (const number of numbers) {
    const place = places[number];
    if (!place) throw new Error(`there is no mutant ${number}`);
    const files = chosenFiles(place.file, reached.get(number) ?? []);
    const outcome = await outcomeOf(number, files);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    console.log(
      `${number} ${outcome} (${files.length} files) ${place.file}:${place.line} ${place.kind}: ${place.shown}`,
    );
  }
  console.log(JSON.stringify(counts));
}

/**
 * Compiles the server with all mutants in it, and makes the database that servers begin with: each run takes both.
 * @param {import("./mutants/places.js").Place[]} places
 */
async function prepare(places) {
  const list = join(folder, "places.json");
  writeFileSync(list, JSON.stringify(places));
  process.env["TEST_MUTANTS"] = list;
  await import("../test/support/run/compiled.mjs");
  const compiled = String(process.env["TEST_COMPILED"]);
  const { makeEmptyDatabase } = await import(join(compiled, "test/support/db/empty-database.js"));
  await makeEmptyDatabase(folder);
}

/** @typedef {{ file: string, ms: number, reached: number[] }} Reached */

/**
 * Runs the tests once without a mutant. Answers the files that reach each place and pass.
 * @returns {Promise<Map<number, Reached[]>>}
 */
async function reachedBy() {
  const out = join(folder, "reached.jsonl");
  const code = await mocha(process.env["MUTANTS_FILES"]?.split(",") ?? [], { TEST_REACHED: out });
  const lines = existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : [];
  /** @type {Reached[]} */
  const files = lines.map((line) => JSON.parse(line));
  console.log(`without a mutant: ${files.length} files pass, exit code ${code}`);
  /** @type {Map<number, Reached[]>} */
  const byPlace = new Map();
  for (const file of files)
    for (const number of file.reached) byPlace.set(number, [...(byPlace.get(number) ?? []), file]);
  return byPlace;
}

/**
 * The files that keep within the budget, and at least one: those that are named like the source, then the quickest.
 * @param {string} source
 * @param {Reached[]} files
 */
function chosenFiles(source, files) {
  const words = wordsOf(source);
  const shared = (/** @type {Reached} */ { file }) => wordsOf(file).filter((word) => words.includes(word)).length;
  let sum = 0;
  return files
    .toSorted((one, other) => shared(other) - shared(one) || one.ms - other.ms)
    .filter(({ ms }, at) => {
      sum += ms;
      return at === 0 || sum <= BUDGET_MS;
    });
}

/** @param {string} path */
function wordsOf(path) {
  return path.match(/[a-z]{3,}/g)?.filter((word) => !COMMON.includes(word)) ?? [];
}

/**
 * Runs the files with a mutant at work.
 * @param {number} number
 * @param {Reached[]} files
 * @returns {Promise<"died" | "hung" | "lived" | "unreached">}
 */
async function outcomeOf(number, files) {
  if (files.length === 0) return "unreached";
  const limit = START_MS + PATIENCE * files.reduce((sum, { ms }) => sum + ms, 0);
  const code = await mocha(["--bail", ...files.map(({ file }) => file)], { TEST_MUTANT: String(number) }, limit);
  return code === null ? "hung" : code === 0 ? "lived" : "died";
}

/**
 * Runs mocha in a group of its own, so that its workers end with it. Answers the exit code, null when it was too late.
 * @param {string[]} args
 * @param {Record<string, string>} env
 * @param {number} [limit]
 * @returns {Promise<number | null>}
 */
function mocha(args, env, limit) {
  const command = ["node_modules/mocha/bin/mocha.js", "--require", "test/support/run/reached.mjs", ...args];
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

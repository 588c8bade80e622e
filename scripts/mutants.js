// @ts-check
// `npm run mutants` breaks the server in 40 places, one at a time, and runs the tests that reach the place. A mutant
// that no test detects shows untested code. A mutant with which the tests hang counts as detected. MUTANTS_SEED
// chooses other places, MUTANTS a subset by number, MUTANTS_FILES the tests, such as
// MUTANTS_FILES=test/tracker/issues/issues.test.ts. The command runs the files of `npm test`. With
// TEST_RUN=everything, mutants that survive `npm test` also face the further files of `npm run test:all`, and the
// report names mutants that only these files detect. Reads TEST_DATABASE_URL with TEST_RUN=postgres.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { choosePlaces } from "./mutants/places.js";

/**
 * Maximum total time, in ms, that the files run against one mutant took without the mutant. 40 mutants take less
 * than an hour.
 */
const BUDGET_MS = 60_000;
/** A run counts as hung after `PATIENCE` times its normal duration plus `START_MS`. */
const [PATIENCE, START_MS] = [3, 60_000];
const COMMON = ["server", "test", "index"];

/** The outcomes of a mutant that the tests detect. */
const DETECTED = ["died", "hung"];

const { findKind } = createRequire(import.meta.url)("../test/support/run/files.cjs");
const folder = mkdtempSync(join(tmpdir(), "trackway-mutants-"));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main() {
  const places = choosePlaces(Number(process.env["MUTANTS_SEED"] ?? 24));
  const numbers = process.env["MUTANTS"]?.split(",").map(Number) ?? places.map((_, number) => number);
  await prepare(places);
  const reached = await reachedBy();
  /** @type {Record<string, number>} */
  const counts = { died: 0, hung: 0, lived: 0, unreached: 0 };
  for (const number of numbers) {
    const place = places[number];
    if (!place) throw new Error(`there is no mutant ${number}`);
    const { outcome, files } = await fullOutcomeOf(number, place.file, reached.get(number) ?? []);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    console.log(`${number} ${outcome} (${files} files) ${place.file}:${place.line} ${place.kind}: ${place.shown}`);
  }
  console.log(JSON.stringify(counts));
}

/**
 * Runs the files of `npm test` against a mutant. If the mutant survives, also runs the further files.
 * @param {number} number
 * @param {string} source
 * @param {Reached[]} reached
 * @returns {Promise<{ outcome: string, files: number }>}
 */
async function fullOutcomeOf(number, source, reached) {
  const isCore = (/** @type {Reached} */ { file }) => findKind(file) === "core";
  const core = chosenFiles(source, reached.filter(isCore));
  const outcome = await outcomeOf(number, core);
  const beyond = reached.filter((file) => !isCore(file));
  if (DETECTED.includes(outcome) || beyond.length === 0) return { outcome, files: core.length };
  const more = chosenFiles(source, beyond);
  const second = await outcomeOf(number, more);
  return {
    outcome: DETECTED.includes(second) ? `${second} only beyond npm test` : second,
    files: core.length + more.length,
  };
}

/**
 * Compiles the server with all mutants inside, and creates the database template for test servers. Every run uses both.
 * @param {import("./mutants/places.js").Place[]} places
 */
async function prepare(places) {
  const list = join(folder, "places.json");
  writeFileSync(list, JSON.stringify(places));
  process.env["TEST_MUTANTS"] = list;
  await import("../test/support/run/compiled.mjs");
  const compiled = String(process.env["TEST_COMPILED"]);
  const { createEmptyDatabase } = await import(join(compiled, "test/support/db/empty-database.js"));
  await createEmptyDatabase(folder);
}

/** @typedef {{ file: string, ms: number, reached: number[] }} Reached */

/**
 * Runs the tests once without a mutant. Returns, for each place, the passing test files that reach the place.
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
 * Chooses files within the time budget, at least one: first files named like the source, then the fastest.
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
 * Runs the files against a mutant.
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
 * Runs mocha in a separate process group, so that its workers can be killed with it. Resolves to the exit code, or
 * null after a time-out.
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

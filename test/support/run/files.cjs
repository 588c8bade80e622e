const { readdirSync, statSync } = require("node:fs");
const { join } = require("node:path");
const { readDurations } = require("./durations.cjs");

const ROOT = join(__dirname, "../../..");

/** The kind of a test file, by the ending of its name. CONTRIBUTING.md says what each kind is for. */
const KINDS = { ".test.ts": "core", ".slow.test.ts": "slow", ".embedded.test.ts": "embedded" };

/** The kinds that each run takes. `core` is `npm test`; `scripts/test-all.ts` makes the others. */
const RUNS = {
  core: ["core"],
  postgres: ["core", "slow"],
  embedded: ["embedded"],
  everything: ["core", "slow", "embedded"],
};

/** Returns undefined for a file with an ending that no run takes. */
function findKind(path) {
  const ending = /^[^.]+(\..*)$/.exec(path.split("/").at(-1))?.[1];
  return Object.hasOwn(KINDS, ending) ? KINDS[ending] : undefined;
}

/** All files below test/ that look like tests, whatever their ending. */
function listTests() {
  const paths = readdirSync(join(ROOT, "test"), { recursive: true }).map((path) => `test/${path}`);
  return paths.filter((path) => !/^test\/(support|fixtures|snapshots)\//.test(path) && /\.test\.\w+$/.test(path));
}

/** The test files of a run, longest first. A file that was never run counts by its size. */
function filesToRun(run = "core") {
  if (!Object.hasOwn(RUNS, run)) throw new Error(`TEST_RUN takes ${Object.keys(RUNS).join(", ")}; got ${run}`);
  const durations = readDurations();
  const weigh = (path) => durations[path] ?? statSync(join(ROOT, path)).size;
  const files = listTests().filter((path) => RUNS[run].includes(findKind(path)));
  return files.sort((one, other) => weigh(other) - weigh(one));
}

module.exports = { filesToRun, findKind, listTests };

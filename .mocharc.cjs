const { availableParallelism } = require("node:os");
const { filesToRun } = require("./test/support/run/files.cjs");

const namesFiles = process.argv.slice(2).some((word) => word.endsWith(".test.ts"));

module.exports = {
  spec: namesFiles ? [] : filesToRun(process.env["TEST_RUN"]),
  "node-option": [
    ...["enable-source-maps", "disable-warning=ExperimentalWarning"],
    // A process uses the embedded engine for minutes: optimizing frequent code pays there, but not while the engine opens.
    ...["no-liftoff-only", "wasm-tiering-budget=30000000"],
    // Most of what a test allocates is garbage at once: a large young generation is collected less often.
    "max-semi-space-size=64",
  ],
  // A slow machine that others share is no failure, and five minutes are enough to find a test that hangs.
  timeout: 300_000,
  reporter: "test/support/run/reporter.cjs",
  require: ["test/support/run/compiled.mjs", "test/support/run/hooks.ts"],
  parallel: true,
  // Many tests wait for processes, pages and clocks, so one process more than there are cores pays.
  jobs: availableParallelism() + 1,
};

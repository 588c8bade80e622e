const { writeFileSync } = require("node:fs");
const { relative } = require("node:path");
const { reporters } = require("mocha");
const { readDurations, writeDurations } = require("./durations.cjs");

/**
 * A second run of the file would hide these failures: a check of the whole process, such as secrets in its log, and a
 * property, which would draw other values.
 */
const isFinal = ({ title }, { message }) => title.includes('"{root}"') || /^Property failed/m.test(message);

/**
 * Mocha's usual report. Keeps how long each file took, for the order of the next run. TEST_FAILED names a file that
 * receives the test files to run again, one per line; a question mark stands for a failure that is final.
 */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const durations = {};
    const add = ({ file, duration = 0 }) => {
      if (file) durations[relative(process.cwd(), file)] = (durations[relative(process.cwd(), file)] ?? 0) + duration;
    };
    const failed = new Set();
    runner.on("test end", add);
    runner.on("hook end", add);
    runner.on("fail", (test, error) => failed.add(isFinal(test, error) ? "?" : test.file));
    runner.once("end", () => {
      writeDurations({ ...readDurations(), ...durations });
      const { TEST_FAILED } = process.env;
      if (TEST_FAILED) writeFileSync(TEST_FAILED, [...failed].map((file) => `${file}\n`).join(""));
    });
  }
};

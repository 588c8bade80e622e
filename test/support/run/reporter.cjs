const { writeFileSync } = require("node:fs");
const { reporters } = require("mocha");

/**
 * To run the file again would hide these: a check of the whole process, such as secrets in its log, and a property, which
 * would try other values.
 */
const isFinal = ({ title }, { message }) => title.includes('"{root}"') || /^Property failed/m.test(message);

/** Mocha's usual report. TEST_FAILED names a file that takes the test files to run again; a question mark stands for none. */
module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const { TEST_FAILED } = process.env;
    if (!TEST_FAILED) return;
    const files = new Set();
    runner.on("fail", (test, error) => files.add(isFinal(test, error) ? "?" : test.file));
    runner.once("end", () => writeFileSync(TEST_FAILED, [...files].map((file) => `${file}\n`).join("")));
  }
};

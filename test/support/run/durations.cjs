const { readFileSync, writeFileSync } = require("node:fs");

/** Milliseconds that each test file took in its last run, by path. Git ignores the file. */
const FILE = ".test-durations.json";

/** Returns no durations in a fresh clone. */
exports.readDurations = () => {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return {};
  }
};

exports.writeDurations = (durations) => writeFileSync(FILE, JSON.stringify(durations, null, 1));

const { availableParallelism } = require("node:os");

module.exports = {
  "node-option": ["import=tsx/esm"],
  timeout: 40_000,
  require: ["test/support/hooks.ts"],
  parallel: true,
  // Many tests wait, for processes to start, for pages and for clocks: one more at once than there are cores pays.
  jobs: availableParallelism() + 1,
};
